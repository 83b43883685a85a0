import { Failure, type FailureCode } from '../../../../helpers/failure.ts';
import type { RunningScan } from '../../../../helpers/ipc/messages.ts';
import type { Profile } from '../../../../service/profiles/profile.ts';
import {
  preflight,
  preflightOfProcessing,
  type PreflightParts,
} from '../../../../service/scan/call/preflight.ts';
import { CALL_TIMES } from '../../../../service/scan/call/running-scans.ts';
import { DEFAULT_REDELIVERY } from '../../../../service/archive/upload-decision.ts';
import { createNetworkFaultProxy } from '../../../support/network-fault-proxy.ts';
import { feedPages, type Feed, playedParts } from '../../../support/scan-parts.ts';
import { assert, failure, inDirectory, rejection } from '../../../support/suite.ts';
import { testProfile } from '../../../support/test-profile.ts';
import { type ScanBench, scanTests } from './scan-bench.ts';

const test = inDirectory('checks before feeding');

const never = new AbortController().signal;

interface Faults {
  readonly scanner?: Error;
  readonly scanning?: RunningScan[];
  readonly processor?: Error;
  readonly languages?: string[];
}

function partsWith({ scanner, scanning = [], processor, languages }: Faults): PreflightParts {
  const played = playedParts({
    scanning: () => scanning,
    processorHealth: () => (processor ? Promise.reject(processor) : Promise.resolve()),
    processor: (part) => ({
      health: async (signal) => ({
        ...(await part.health(signal)),
        ...(languages && { languages }),
      }),
    }),
  });
  const health = (): Promise<void> => (scanner ? Promise.reject(scanner) : Promise.resolve());
  return { scanner: { ...played.scanner, health }, processor: played.processor };
}

function profileIn(output_dir: string, fields: object = {}): Profile {
  return testProfile({ name: 'a', paths: { output_dir }, ...fields });
}

const noRuntime = new Failure('scanner_runtime_unreachable', 'No runtime.');
const noProcessor = new Failure('processor_unreachable', 'No processor.');
const late = new DOMException('late', 'TimeoutError');
const busy = { directory: '/scans/20261121T063000Z-8f3a1c', asked: 'auto', device: 'fujitsu:1' };
const ENGLISH = { missing_languages: ['eng'] };
const BUSY = { busy_with: '20261121T063000Z-8f3a1c' };
const LANGUAGE = /cannot read eng, which profile "a" names\./;
const FEEDING = /feeding the paper of another scan\./;
const NO_ROOM = { paths: { output_dir: '/proc/x' } };

type Lack = [what: string, Faults, profile: object, FailureCode, said: RegExp, facts?: object];

const LACKING: Lack[] = [
  ['a runtime', { scanner: noRuntime, processor: noProcessor }, {}, noRuntime.code, /^No runtime/],
  ['a processor', { processor: noProcessor }, {}, noProcessor.code, /^No processor/],
  ['a runtime in time', { scanner: late }, {}, noRuntime.code, /runtime did not .* within 3 s\./],
  ['a processor in time', { processor: late }, {}, noProcessor.code, /did not .* within 3 s\./],
  ['its language', { languages: ['deu'] }, {}, 'processing_failed', LANGUAGE, ENGLISH],
  ['a directory', {}, NO_ROOM, 'insufficient_storage', /cannot write to \/proc\/x \(ENOENT\)\./],
  ['a free scanner', { scanning: [busy] }, { device: 'auto' }, 'scanner_busy', FEEDING, BUSY],
  ['its scanner', { scanning: [busy] }, { device: 'fujitsu:1' }, 'scanner_busy', FEEDING, BUSY],
];

for (const [what, faults, fields, code, message, facts] of LACKING) {
  test(`without ${what} a scan is refused, with the fact that nothing was fed`, async ({
    directory,
  }) => {
    const refused = preflight(profileIn(directory, fields), partsWith(faults), never);
    const error = await failure(code, refused);
    assert.match(error.what, message);
    assert.match(error.remedy ?? '', /^Nothing was fed\./);
    if (facts) assert.equal(error.facts, facts);
  });
}

/** A processor that is starting up and answers from the given request on. */
function starting(answersAt: number): {
  readonly parts: PreflightParts;
  readonly asked: () => number;
} {
  let asked = 0;
  const { scanner, processor } = partsWith({});
  const health: typeof processor.health = (signal) =>
    ++asked < answersAt ? Promise.reject(noProcessor) : processor.health(signal);
  const mayBeStarting = (): boolean => true;
  return { parts: { scanner, processor: { health }, mayBeStarting }, asked: () => asked };
}

test('a starting processor is waited for, even for pages on disk', async ({ directory }) => {
  for (const check of [preflight, preflightOfProcessing]) {
    const { parts, asked } = starting(3);
    assert.equal(await check(profileIn(directory), parts, never), { workers: 2 });
    assert.is(asked(), 3);
  }
});

test('a starting processor is waited for until the deadline', async ({ directory }) => {
  const { parts } = starting(Infinity);
  const deadline = new AbortController();
  const refused = preflight(profileIn(directory), parts, deadline.signal);
  deadline.abort(new Failure('timeout', 'Too late.'));
  assert.match((await failure('timeout', refused)).what, /Too late/);
  const { scanner } = partsWith({ scanner: noRuntime });
  await failure(noRuntime.code, preflight(profileIn(directory), { ...parts, scanner }, never));
});

test('a language is not needed if OCR is left to others', async ({ directory }) => {
  const profile = profileIn(directory, { processing: { ocr: false } });
  await preflight(profile, partsWith({ languages: ['deu'] }), never);
});

test('a scan on another scanner is no obstacle, even before its device is known', async ({
  directory,
}) => {
  const profile = profileIn(directory, { device: 'epson:2' });
  for (const device of ['fujitsu:1', null]) {
    await preflight(profile, partsWith({ scanning: [{ ...busy, device }] }), never);
  }
});

test('pages on disk need neither a scanner nor disk space', async ({ directory }) => {
  const parts = partsWith({ scanner: noRuntime });
  assert.is((await preflightOfProcessing(profileIn(directory), parts, never)).workers, 2);
  await rejection(preflightOfProcessing(profileIn('/nonexistent'), partsWith({}), never));
});

const it = scanTests('checks of destinations before feeding');

const NOWHERE = 'http://127.0.0.1:1';

const to = (base_url: string, fields: object = {}): { destinations: object[] } => ({
  destinations: [{ kind: 'dms', base_url, ...fields }],
});

it('a tag that the destination lacks is refused before feeding, with a suggestion', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  const call = { ...bench.call(), metadata: { tags: ['Invoce', 'Tax'] } };
  const { message, facts } = await failure('metadata_not_found', scans.scan(call));
  assert.match(message, /no tag named "Invoce".*Did you mean "Invoice"\?/);
  const [field] = facts['fields'] as readonly Record<string, unknown>[];
  assert.equal([field?.['field'], field?.['near']], ['tags', ['Invoice']]);
  assert.equal(parts.fed, []);
});

for (const [what, urlOf, expected] of [
  [
    'is down',
    async () => NOWHERE,
    /^Documents may not be delivered to http:\/\/127\.0\.0\.1:1\. Connection refused at .* Check that Paperless-ngx is running\.$/,
  ],
  [
    'refuses the token',
    async ({ another }: ScanBench) => (await another(['another'])).url,
    /The API token was refused \(401 .*\)\. Check the secret dms_api_token\.$/,
  ],
] as const) {
  it(`a destination that ${what} causes a warning before feeding, and the scan continues`, async (bench) => {
    const begun: (readonly string[])[] = [];
    const { scans } = await bench.start(
      { feed: feedPages(1) },
      { listener: (event) => void (event.type === 'begun' && begun.push(event.warnings ?? [])) },
    );
    const { warnings, documents } = await scans.scan(bench.call(to(await urlOf(bench))));
    assert.is(warnings.length, 1);
    assert.match(warnings[0] ?? '', expected);
    assert.equal(begun, [warnings]);
    assert.is(documents[0]?.destinations[0]?.status, 'failed');
  });
}

it('a used serial number causes a warning before feeding, and is omitted', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(1) });
  const call = { ...bench.call(), metadata: { archive_serial_number: 4702 } };
  assert.equal((await scans.scan(call)).warnings, []);
  await bench.dms.idle();
  const { warnings } = await scans.scan(call);
  await bench.dms.idle();
  assert.equal(warnings, [
    `Document 1 in ${bench.dms.url} has the archive serial number 4702 already: this one is filed without it.`,
  ]);
  const numbers = bench.dms.documents().map((one) => one.archive_serial_number);
  assert.equal(numbers, [4702, undefined]);
});

it('a missing token causes an immediate warning', async (bench) => {
  const accessTo = (): Promise<never> => Promise.reject(new Error('There is no API token.'));
  const { scans } = await bench.start({ feed: feedPages(1), dms: () => ({ accessTo }) });
  assert.equal((await scans.scan(bench.call())).warnings, [
    `Documents may not be delivered to ${bench.dms.url}. There is no API token.`,
  ]);
});

const CHECK = { ...CALL_TIMES.check, all: 600, warning: 300 };
const SLOW_MS = 5000;

for (const [what, fields, boundMs] of [
  ['with names, which it could refuse', { tags: ['Tax'] }, CHECK.all],
  ['with nothing that it could refuse', {}, CHECK.warning],
] as const) {
  it(`a slow destination ${what} delays the first page by ${boundMs} ms, without a warning`, async (bench) => {
    const proxy = await createNetworkFaultProxy({ port: bench.dms.port });
    let fedAt = Number.POSITIVE_INFINITY;
    const feed: Feed = (...asked) => {
      fedAt = performance.now();
      // The network works again for the upload.
      proxy.setToxic(undefined);
      return feedPages(1)(...asked);
    };
    const { scans } = await bench.start({ feed }, { times: { check: CHECK } });
    try {
      proxy.setToxic({ kind: 'latency', ms: SLOW_MS });
      const begunAt = performance.now();
      const call = bench.call(to(`http://127.0.0.1:${proxy.port}`, fields));
      const { warnings, documents } = await scans.scan(call);
      const waitedMs = fedAt - begunAt;
      assert.ok(waitedMs >= boundMs - 50 && waitedMs < SLOW_MS, `fed after ${waitedMs} ms`);
      assert.equal(warnings, []);
      assert.is(documents[0]?.destinations[0]?.status, 'submitted');
    } finally {
      await proxy.close();
    }
  });
}

it('destination and processor are checked in parallel', async (bench) => {
  const asked = Promise.withResolvers<void>();
  const { scans } = await bench.start({
    feed: feedPages(1),
    processorHealth: () => asked.promise,
    dms: ({ accessTo }) => ({
      accessTo: (...question) => {
        asked.resolve();
        return accessTo(...question);
      },
    }),
  });
  const { documents } = await scans.scan(bench.call());
  assert.is(documents[0]?.destinations[0]?.status, 'submitted');
});

it('an error of the processor is reported before one of the destination', async (bench) => {
  const gone = new Failure('processing_failed', 'It cannot read deu.');
  const { scans, parts } = await bench.start({ processorHealth: () => Promise.reject(gone) });
  const call = { ...bench.call(), metadata: { tags: ['Invoce'] } };
  await failure('processing_failed', scans.scan(call));
  assert.equal(parts.fed, []);
});

it('nothing is created for a scan that the scanner refuses', async (bench) => {
  const misspelled = new Failure('scan_option_rejected', 'The scanner does not accept source "x".');
  const { scans } = await bench.start({ feed: feedPages(0, misspelled) });
  const creating = to(bench.dms.url, { create_missing: true, tags: ['Brand new'] });
  await failure('scan_option_rejected', scans.scan(bench.call(creating)));
  assert.not.ok(bench.dms.objects().tags.some(({ name }) => name === 'Brand new'));
});

it('a profile that requires its destinations does not feed while one fails', async (bench) => {
  const { scans, parts } = await bench.start({ feed: feedPages(1) });
  const required = { require_destinations: true };
  const call = bench.call({ ...required, ...to(NOWHERE) });
  const { message, facts } = await failure('destination_unavailable', scans.scan(call));
  assert.match(message, `requires ${NOWHERE}, so nothing was fed. Connection refused`);
  assert.equal([facts['destinations'], parts.fed], [[NOWHERE], []]);
  assert.equal((await scans.scan(bench.call(required))).warnings, []);
});

it('a resume with metadata that the destination lacks is refused and changes nothing', async (bench) => {
  const { scans } = await bench.start({ feed: feedPages(1) });
  bench.dms.setFault({ kind: 'answer', status: 400, body: '{}' }, 1);
  const { scan_id } = await scans.scan(bench.call());
  const tagged = (tag: string): object => ({ metadata: { tags: [tag] } });
  const redelivery = DEFAULT_REDELIVERY;
  await failure('metadata_not_found', scans.resume(scan_id, { redelivery, ...tagged('Txa') }));
  assert.equal((await bench.stored(scan_id)).request, {});
  const { documents } = await scans.resume(scan_id, { redelivery, ...tagged('Tax') });
  assert.is(documents[0]?.destinations[0]?.status, 'submitted');
});
