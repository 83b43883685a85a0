import { EventEmitter } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { Failure } from '../../../helpers/failure.ts';
import { createProfileMismatches } from '../../../service/profiles/profile-summary.ts';
import { testAtStart } from '../../../service/self-test/at-start.ts';
import { unkeyed, verdictOf } from '../../../service/self-test/check.ts';
import { triggerChecks } from '../../../service/self-test/check-triggers.ts';
import {
  createSelfTest,
  type SelfTestParts,
  type SelfTestResult,
} from '../../../service/self-test/self-test.ts';
import { translated } from '../../../service/set-up/steps/translated-checks.ts';
import type { TriggerStatus } from '../../../service/trigger/triggers.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { assert, EVENT_MS, suite, withFixture } from '../../support/suite.ts';
import { serve } from '../../support/serve.ts';
import { createSelfTestBench, problemsIn, type SelfTestBench } from './self-test-bench.ts';
import { partsIn } from './self-test-parts.ts';

const test = withFixture<SelfTestBench>('the self-test', () => createSelfTestBench());

const hangs = (): Promise<never> => new Promise(() => {});

test('parts that do not answer in time are unknown, and the rest is reported', async (bench) => {
  bench.change({
    limitMs: 500,
    scanner: { health: hangs, checkScan: hangs },
    processor: { health: hangs },
  });
  const found = await bench.look();
  const unknown = found.filter(({ status }) => status === 'unknown').map(({ id }) => id);
  assert.equal(unknown, [
    'runtime',
    'scanner',
    'scanner.options',
    'processor',
    'processor.languages',
  ]);
  assert.ok(found.some(({ id, status }) => id === 'storage.writable' && status === 'ok'));
});

test('a starting runtime is not a problem, and nothing behind it is checked', async (bench) => {
  const refused = new Failure('scanner_runtime_unreachable', 'Nothing listens.');
  const scanner = { health: () => Promise.reject(refused), checkScan: hangs };
  bench.change({ scanner, upSeconds: () => 5 });
  const found = (await bench.look()).filter(({ id }) => /^(?:runtime|scanner)/u.test(id));
  assert.equal(
    found.map(({ status }) => status),
    ['unknown', 'skipped', 'skipped'],
  );
  assert.match(found[0]?.message ?? '', 'is starting');
});

test('a chosen language that is not installed is a warning, in both languages', async (bench) => {
  bench.change({
    settings: { state: () => ({ kind: 'good' }), current: () => ({ languages: ['eng', 'deu'] }) },
  });
  const found = (await bench.look()).find(({ id }) => id === 'processor.chosen_languages');
  assert.ok(found);
  assert.is(found.status, 'warn');
  assert.match(translated(found).text.en, /^German: not installed yet\. .*tesseract-ocr-deu/u);
  assert.match(translated(found).text.de, /^Deutsch: noch nicht installiert\./u);
  bench.change({
    settings: { state: () => ({ kind: 'good' }), current: () => ({ languages: ['eng'] }) },
  });
  assert.is(problemsIn(await bench.look()), '');
});

function sleepy(): {
  readonly checkScan: SelfTestParts['scanner']['checkScan'];
  silent: boolean;
} {
  const scanner = {
    silent: true,
    checkScan: async ({ device }: { readonly device: string }, signal: AbortSignal) => {
      if (!scanner.silent) return { device };
      await wait(EVENT_MS, undefined, { signal }).catch((cause: unknown) => {
        throw new Failure('scanner_error', 'It was stopped.', { cause });
      });
      return { device };
    },
  };
  return scanner;
}

const wholeAndScanner = ({ status, checks }: SelfTestResult): string =>
  `${status} ${checks.find(({ id }) => id === 'scanner')?.status}`;

test('a scanner that is silent once is a warning, twice in a row a problem, and never ok', async (bench) => {
  const scanner = sleepy();
  const look = createSelfTest({
    ...(await partsIn(bench.directory)),
    scanner: { health: async () => {}, checkScan: scanner.checkScan },
    scannerMs: 50,
  });
  const looks = async (): Promise<string> => wholeAndScanner(await look(true));
  assert.is(await looks(), 'warnings warn');
  const again = await look(true);
  assert.is(wholeAndScanner(again), 'problems fail');
  const found = again.checks.find(({ id }) => id === 'scanner');
  assert.match(found?.message ?? '', 'at two looks in a row');
  assert.match(found?.remedy ?? '', 'Switch it off and on');
  scanner.silent = false;
  assert.is(await looks(), 'ok ok');
  scanner.silent = true;
  assert.is(await looks(), 'warnings warn', 'an answer in between begins anew');
});

test('overlapping runs count as one', async (bench) => {
  const events = new EventEmitter<{ loaded: [] }>();
  const parts = await partsIn(bench.directory);
  const look = createSelfTest({
    ...parts,
    profiles: { ...parts.profiles, events },
    scanner: { health: async () => {}, checkScan: sleepy().checkScan },
    scannerMs: 100,
  });
  const first = look(true);
  events.emit('loaded');
  const second = look(true);
  assert.equal((await Promise.all([first, second])).map(wholeAndScanner), [
    'warnings warn',
    'warnings warn',
  ]);
});

for (const [statuses, whole] of [
  [['ok', 'skipped'], 'ok'],
  [['ok', 'warn'], 'warnings'],
  [['ok', 'unknown'], 'warnings'],
  [['unknown', 'warn', 'fail'], 'problems'],
] as const) {
  test(`${statuses.join(' and ')} combine to ${whole}`, () => {
    assert.is(verdictOf(statuses.map((status) => ({ status }))), whole);
  });
}

test('the log at the start names what could not be checked, and reports no success', async (bench) => {
  const { log, lines } = capturedLog();
  const parts = await partsIn(bench.directory);
  const scanner = { health: async () => {}, checkScan: sleepy().checkScan };
  const selfTest = createSelfTest({ ...parts, scanner, scannerMs: 50 });
  const { signal } = new AbortController();
  await testAtStart({ selfTest, log, signal, partsAnswer: async () => {} });
  const all = lines();
  assert.equal(
    all.filter(({ event }) => event === 'self_test_problem').map(({ check }) => check),
    ['scanner', 'scanner.options'],
  );
  const last = all.at(-1);
  assert.is(last?.['event'], 'self_test');
  assert.is(last?.['status'], 'warnings');
  assert.is(last?.['msg'], 'See GET /self-test.');
});

test('a scanner without time left for its check is not reported as silent', async (bench) => {
  await bench.write('default.yaml', 'name: first\ndevice: slow:0\ndestinations: []\n');
  await bench.write('late.yaml', 'name: late\ndevice: late:0\ndestinations: []\n');
  const checkScan = async (
    { device }: { readonly device: string },
    signal: AbortSignal,
  ): Promise<{ readonly device: string }> => {
    const answers =
      device === 'slow:0' ? wait(400, undefined, { signal }) : wait(5000, undefined, { signal });
    await answers.catch((cause: unknown) => {
      throw new Failure('scanner_error', 'It was stopped.', { cause });
    });
    return { device };
  };
  bench.change({ scanner: { health: async () => {}, checkScan }, scannerMs: 600 });
  const found = (await bench.look()).filter(({ id }) => id.startsWith('scanner'));
  assert.equal(
    found.map(({ id, subject, status }) => `${id} ${subject} ${status}`),
    [
      'scanner slow:0 ok',
      'scanner.options first ok',
      'scanner late:0 unknown',
      'scanner.options late skipped',
    ],
  );
});

test('in a broken chain, later checks are skipped and refer to the cause', async (bench) => {
  await bench.profile({
    destinations: [{ kind: 'dms', base_url: 'http://paperless.invalid:8000' }],
  });
  const [first, ...others] = (await bench.look()).filter(({ id }) => id.startsWith('dms.'));
  assert.is(`${first?.status} ${first?.id}`, 'fail dms.name');
  assert.ok(others.length > 5);
  for (const { status, message } of others) {
    assert.is(status, 'skipped');
    assert.is(message, 'Not checked: see dms.name http://paperless.invalid:8000.');
  }
});

/** Paperless-ngx 2.x with a non-staff token. It reads an upload before it answers. */
function reticentSystem(): Server {
  const answer: RequestListener = (request, response) => {
    const [status, body] =
      request.url === '/api/status/'
        ? [403, '{"detail":"You do not have permission to perform this action."}']
        : [400, '{"document":["No file was submitted."]}'];
    request.resume().on('end', () => {
      response.writeHead(status, { 'content-type': 'application/json', 'x-version': '2.20.1' });
      response.end(body);
    });
  };
  return createServer(answer).on('checkContinue', (request) => void request.resume());
}

test('checks that Paperless-ngx does not support are skipped, and the total is ok', async (bench) => {
  const { port, close } = await serve(reticentSystem());
  bench.later(close);
  await bench.profile({ destinations: [{ kind: 'dms', base_url: `http://127.0.0.1:${port}` }] });
  const checks = await bench.look();
  assert.equal(
    checks.filter(({ status }) => status === 'skipped').map(({ id }) => id),
    ['dms.upload_limit', 'dms.worker'],
  );
  assert.is(verdictOf(checks), 'ok');
});

test('a scanner in use by our own scan is not checked, and is no problem', async (bench) => {
  const facts = { busy_with: '20261121T063000Z-8f3a1c' };
  const checkScan = (): Promise<never> =>
    Promise.reject(new Failure('scanner_busy', 'It is in use.', { facts }));
  bench.change({ scanner: { health: async () => {}, checkScan } });
  const checks = await bench.look();
  assert.is(problemsIn(checks), '');
  const [scanner, options] = checks.filter(({ id }) => id.startsWith('scanner'));
  assert.is(scanner?.message, 'Not checked: a scan is running.');
  assert.is(options?.message, 'Not checked: see scanner auto.');
});

test('a self-test never creates permitted tags, and uploads nothing', async (bench) => {
  const destination = { kind: 'dms', base_url: bench.sample.url };
  await bench.profile({
    destinations: [{ ...destination, tags: ['Brand new'], create_missing: true }],
  });
  assert.is(problemsIn(await bench.look()), '');
  assert.equal(bench.sample.uploads(), []);
  assert.not.ok(bench.sample.objects().tags.some(({ name }) => name === 'Brand new'));
});

test('a missing tag is told in German with the label of its profile', async (bench) => {
  const destination = { kind: 'dms', base_url: bench.sample.url };
  await bench.profile({
    label: { en: 'School', de: 'Schule' },
    destinations: [{ ...destination, tags: ['Brand new'] }],
  });
  const checks = await bench.look();
  const [wrong] = checks.filter(({ id, status }) => id === 'dms.metadata' && status === 'fail');
  assert.is(
    wrong && translated(wrong).text.de,
    'In Paperless-ngx fehlt oder ist mehrdeutig, was das Profil „Schule“ nennt: „Brand new“. Legen Sie es dort an, oder ändern Sie das Profil.',
  );
  assert.not.ok(wrong && 'facts' in unkeyed(wrong));
});

const UNFIT = new Failure(
  'scan_option_rejected',
  'The scanner does not accept source "ADF Duplex".',
  {
    remedy: 'It offers ADF.',
    facts: { option: 'source', value: 'ADF Duplex', valid_values: ['ADF'] },
  },
);

test('a shipped profile that does not fit is hidden, and an own one is a problem', async (bench) => {
  const RIGHT = 'destinations: []\nmode: Gray\n';
  await bench.write('default.yaml', `name: own\nsource: ADF\n${RIGHT}`);
  await bench.write('duplex.yaml', `name: duplex\nsource: ADF Duplex\n${RIGHT}`);
  const scanner = {
    health: () => Promise.resolve(),
    checkScan: ({ source }: { readonly source?: string | undefined }) =>
      source === 'ADF' ? Promise.resolve({ device: 'fake:0' }) : Promise.reject(UNFIT),
  };
  const mismatches = createProfileMismatches();
  const { profiles } = await partsIn(bench.directory);
  const found = async (shipped: readonly string[], names: readonly string[]): Promise<string> => {
    const list = profiles.list().filter(({ name }) => names.includes(name));
    bench.change({
      scanner,
      mismatches,
      profiles: { ...profiles, list: () => list, isShipped: (name) => shipped.includes(name) },
    });
    return problemsIn(await bench.look());
  };
  const both = ['duplex', 'own'];
  assert.is(await found(['duplex'], both), '');
  assert.match(mismatches.reason('duplex') ?? '', 'ADF Duplex');
  assert.is(await found(both, both), '', 'one of the shipped ones fits');
  assert.match(await found(['duplex'], ['duplex']), /^fail scanner\.options/, 'none is left');
  assert.match(await found([], both), /^fail scanner\.options: Profile "duplex"/);
  assert.is(mismatches.reason('duplex'), undefined);
});

test('a missing scanner of shipped profiles is no problem, and they are hidden next to an own one', async (bench) => {
  await bench.write('default.yaml', 'name: own\ndevice: Office\ndestinations: []\n');
  await bench.write('receipts.yaml', 'name: receipts\ndestinations: []\n');
  const { profiles } = await partsIn(bench.directory);
  const mismatches = createProfileMismatches();
  let isOn = true;
  bench.change({
    mismatches,
    scanner: {
      health: () => Promise.resolve(),
      checkScan: ({ device }) =>
        device === 'Office' && isOn
          ? Promise.resolve({ device })
          : Promise.reject(new Failure('no_scanner_detected', 'Several scanners match "auto".')),
    },
    profiles: { ...profiles, isShipped: (name) => name === 'receipts' },
  });
  assert.is(problemsIn(await bench.look()), '');
  assert.is(mismatches.reason('receipts'), 'Several scanners match "auto".');
  isOn = false;
  await bench.look();
  assert.is(mismatches.reason('receipts'), undefined, 'it may be the one that is off');
});

test('the last result is kept until it is refreshed, the profiles are reloaded or a set-up step is stored', async (bench) => {
  let checks = 0;
  const events = new EventEmitter<{ loaded: [] }>();
  const setUpEvents = new EventEmitter<{ stored: [] }>();
  const healthy = await partsIn(bench.directory);
  const selfTest = createSelfTest({
    ...healthy,
    profiles: { ...healthy.profiles, events },
    setUpEvents,
    scanner: {
      health: async () => {},
      checkScan: async ({ device }) => ((checks += 1), { device }),
    },
  });
  const [first, meanwhile] = await Promise.all([selfTest(false), selfTest(true)]);
  assert.is(first, meanwhile, 'they share one look');
  assert.is(await selfTest(false), first);
  assert.is(checks, 1, 'no page that is opened makes another look');
  assert.is.not(await selfTest(true), first);
  assert.is(checks, 2);
  events.emit('loaded');
  assert.is.not((await selfTest(false)).looked_at, undefined);
  assert.is(checks, 3);
  const outdated = selfTest(true);
  setUpEvents.emit('stored');
  assert.is.not(await selfTest(false), await outdated, 'it began before the step');
  assert.is(checks, 5);
});

test('checks of a disk do not disturb each other, as during a reload of profiles', async (bench) => {
  bench.change({ syncSpeed: undefined });
  const looks = await Promise.all([bench.look(), bench.look(), bench.look()]);
  const found = looks.flat().filter(({ id }) => id === 'storage.sync');
  for (const { message } of found) assert.match(message, 'until 1 MB is safe on disk');
  assert.is(found.length, looks.length);
});

const triggers = suite('triggers in the self-test');

const HOUR_MS = 60 * 60_000;
const DAY_MS = 24 * HOUR_MS;

const WAITING: TriggerStatus = {
  profile: 'letters',
  trigger: { paper: true },
  reading: { device: 'acme:0', paper: false, sensors: { scan: false, email: false }, scans: 0 },
  failure: undefined,
  since: 0,
  on: undefined,
  off: 1,
  takenBy: undefined,
};
const BUTTON = { trigger: { button: 'start' }, on: undefined, off: undefined } as const;

async function found(change: Partial<TriggerStatus>, uptime: number): Promise<string> {
  const [check] = triggerChecks({
    triggers: { status: () => [{ ...WAITING, ...change }] },
    uptime: () => uptime,
  });
  const { status, what, remedy } = (await check?.run(new AbortController().signal)) ?? {};
  return `${status}: ${what} ${remedy ?? ''}`.trimEnd();
}

const FOUND: readonly (readonly [Partial<TriggerStatus>, number, RegExp])[] = [
  [{}, HOUR_MS, /^ok: Waiting for paper in the feeder\.$/],
  [{}, DAY_MS, /^warn: The scanner has reported an empty feeder for a day or more\. Put paper in/],
  [{ on: 5, off: undefined }, DAY_MS, /^warn: .* paper in the feeder without a break .* Put paper/],
  [{ on: 5 }, 3 * DAY_MS, /^ok/],
  [{ trigger: { button: 'scan' } }, 3 * DAY_MS, /^ok: Waiting for the button scan\.$/],
  [
    { off: undefined },
    HOUR_MS,
    /^fail: acme:0 does not report whether there is paper .* by its address/,
  ],
  [BUTTON, HOUR_MS, /^fail: acme:0 reports no button "start"\. It reports: scan, email\.$/],
  [{ takenBy: 'a' }, HOUR_MS, /^fail: The same scanner starts profile a by paper/],
  [{ reading: undefined, off: undefined }, 1000, /^unknown/],
  [
    { failure: new Failure('no_scanner_detected', 'It is off.', { remedy: 'Switch it on.' }) },
    HOUR_MS,
    /^warn: The sensors cannot be read\. It is off\. Switch it on\.$/,
  ],
];
for (const [change, uptime, expected] of FOUND) {
  triggers(`${JSON.stringify(change)} after ${uptime / HOUR_MS} h`, async () => {
    assert.match(await found(change, uptime), expected);
  });
}
