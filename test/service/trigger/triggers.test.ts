import { EventEmitter, once } from 'node:events';
import { Failure } from '../../../helpers/failure.ts';
import type { SensorReading } from '../../../helpers/ipc/messages.ts';
import type { ScanListener } from '../../../service/archive/scan-record.ts';
import type { Profile } from '../../../service/profiles/profile.ts';
import type { RefusedTrigger } from '../../../service/profiles/trigger.ts';
import { triggerChecks } from '../../../service/self-test/check-triggers.ts';
import { createReadingTimes, WATCH_TIMES } from '../../../service/trigger/reading-times.ts';
import {
  advance,
  BUTTON_RULE,
  PAPER_RULE,
  UNKNOWN,
  type Sample,
  type TriggerRule,
} from '../../../service/trigger/trigger-state.ts';
import { triggeredScans } from '../../../service/trigger/triggered-scans.ts';
import {
  maybeSameScanner,
  type NamedScanner,
  type ReadingOf,
} from '../../../service/trigger/same-scanner.ts';
import { watchTriggers } from '../../../service/trigger/triggers.ts';
import { watchScanner } from '../../../service/trigger/watched-scanner.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { feedPages, heldFeed, type Feed } from '../../support/scan-parts.ts';
import { assert, EVENT_MS, failure, suite, withFixture, within } from '../../support/suite.ts';
import { testProfile } from '../../support/test-profile.ts';
import { type BenchService, JAM, type ScanBench, scanTests } from '../scan/call/scan-bench.ts';

const rules = suite('when a trigger fires');

/** Per second: `1` on, `0` off, `?` unknown, `s` scanning, `x` no answer, ` ` no sample. */
function samplesOf(seconds: string): Sample[] {
  return seconds.split('').flatMap((one, index): Sample[] => {
    const at = index * 1000;
    if (one === ' ') return [];
    if (one === 's') return [{ kind: 'scanned', at }];
    if (one === 'x') return [{ kind: 'failed' }];
    return [{ kind: 'read', at, on: one === '?' ? undefined : one === '1' }];
  });
}

function fires(samples: readonly Sample[], rule: TriggerRule): number[] {
  let state = UNKNOWN;
  return samples.flatMap((sample) => {
    const next = advance(state, sample, rule);
    ({ state } = next);
    return next.fires && 'at' in sample ? [sample.at / 1000] : [];
  });
}

const RULES = { paper: PAPER_RULE, button: BUTTON_RULE };

const FIRED: [of: keyof typeof RULES, what: string, seconds: string, ...fired: number[]][] = [
  ['paper', 'that is put in, after two seconds', '000111', 5],
  ['paper', 'that was scanned and is put in again', '0111ss00111', 3, 10],
  ['paper', 'that lies there from the beginning', '111111'],
  ['paper', 'that a sensor always reports', '1'.repeat(1000)],
  ['paper', 'that a sensor never reports', '0'.repeat(1000)],
  ['paper', 'of a sensor that flaps each second', '01'.repeat(500)],
  ['paper', 'that is put in and taken out again', '0110011000'],
  ['paper', 'that a jam leaves', '0111ss11111111', 3],
  ['paper', 'that is taken out after a jam and put in again', '0111ss111?011111', 3, 13],
  ['paper', 'of two sheets put in slowly: the first scan leaves the second', '0111ss1111', 3],
  ['paper', 'that is put in while somebody scans from the phone', '0ss1111'],
  ['paper', 'that is there when a scan from the phone begins', '011ss111'],
  ['paper', 'in a feeder that is jammed or open meanwhile', '011?111', 6],
  ['paper', 'in a scanner that is switched off overnight and on again with it', '00xxxx1111'],
  ['paper', 'in a scanner that is switched on again empty', '00xxxx0111', 9],
  ['paper', 'with seconds without a sample', '0 1   1', 6],
  ['button', 'pressed: at once', '001', 2],
  ['button', 'in a press that lasts', '00111111', 2],
  ['button', 'pressed a second time', '0010001', 2, 6],
  ['button', 'pressed at the first look', '1110'],
  ['button', 'that is stuck', '01'.padEnd(1000, '1'), 1],
  ['button', 'pressed within three seconds of a scan', '0010ss01001', 2, 10],
  ['button', 'in a press during the scan that lasts beyond it', '001ss1111111', 2],
  ['button', 'pressed while somebody scans', '00sss11111'],
];

for (const [of, what, seconds, ...fired] of FIRED) {
  rules(`${of} ${what}`, () => {
    assert.equal(fires(samplesOf(seconds), RULES[of]), fired);
  });
}

type Answer = Partial<SensorReading> | Failure;

const EMPTY = { paper: false, sensors: { scan: false } };
const LOADED = { paper: true, sensors: { scan: false } };
const PRESSED = { paper: true, sensors: { scan: true }, function: 3 };
const BUSY = new Failure('scanner_busy', 'In use.', {
  facts: { device: 'real:0', busy_with: 'a-scan' },
});
const OTHERS_BUSY = new Failure('scanner_busy', 'Disturbs.', { facts: { busy_with: 'a-scan' } });
const LOOKING = new Failure('scanner_busy', 'Looked at.', { facts: { looking: true } });
const OFF = new Failure('no_scanner_detected', 'There is none.');

const watched = (name: string, trigger: object, fields: object = {}): Profile =>
  testProfile({ name, trigger, ...fields });
const PAPER = watched('paper', { paper: true });

const test = withFixture('scanners whose profiles have a trigger', async () => {
  const read = new EventEmitter<{ read: [] }>();
  const watch = {
    profiles: [PAPER],
    answer: (_device: string): Answer | Promise<never> => EMPTY,
    at: 0,
    fired: [] as string[],
    logged: capturedLog(),
    reads: new Map<string, number>(),
    readAgain: async (): Promise<void> => {
      // The reading in progress may predate the change of the answer.
      for (let times = 0; times < 2 * watch.profiles.length; times += 1)
        await within(EVENT_MS, once(read, 'read'), 'a reading');
      await new Promise((resolve) => setImmediate(resolve));
    },
    report: async (...reported: readonly [Answer, seconds: number][]): Promise<void> => {
      for (const [answer, seconds] of reported) {
        watch.at += seconds * 1000;
        watch.answer = () => answer;
        await watch.readAgain();
      }
    },
  };
  const triggers = await watchTriggers({
    scanner: {
      readSensors: async (device) => {
        watch.reads.set(device, (watch.reads.get(device) ?? 0) + 1);
        setImmediate(() => read.emit('read'));
        const found = await watch.answer(device);
        if (found instanceof Failure) throw found;
        return { device: 'real:0', sensors: {}, scans: 0, ...found };
      },
    },
    profiles: { list: () => watch.profiles },
    fire: async ({ name }) => void watch.fired.push(name),
    log: watch.logged.log,
    times: { ...WATCH_TIMES, everyMs: 0, longestMs: 0 },
    tickMs: 5,
    now: () => watch.at,
  });
  return Object.assign(watch, { triggers, close: async () => triggers.close() });
});

test('inserted paper starts the scan of its profile once', async (watch) => {
  await watch.report([EMPTY, 0], [LOADED, 1]);
  assert.equal(watch.fired, []);
  await watch.report([LOADED, 2], [LOADED, 10]);
  assert.equal(watch.fired, ['paper']);
});

test('a press starts the profile of its function number', async (watch) => {
  const button = (number: number): Profile =>
    watched(`f${number}`, { button: 'scan', function: number });
  watch.profiles.splice(0, 1, button(2), button(3));
  await watch.report([EMPTY, 0], [PRESSED, 1]);
  assert.equal(watch.fired, ['f3']);
  assert.is(watch.reads.size, 1, 'one scanner, read once for both');
});

test('a scan between two readings is noticed by its number, and disarms paper', async (watch) => {
  const [full, empty] = [
    { ...LOADED, scans: 1 },
    { ...EMPTY, scans: 1 },
  ];
  await watch.report([EMPTY, 0], [full, 1], [full, 10]);
  assert.equal(watch.fired, []);
  await watch.report([empty, 1], [full, 1], [full, 3]);
  assert.equal(watch.fired, ['paper']);
});

test('a scan disarms the trigger; other requests to the scanner do not', async (watch) => {
  await watch.report([EMPTY, 0], [BUSY, 1], [LOADED, 1], [LOADED, 5]);
  assert.equal(watch.fired, []);
  await watch.report([EMPTY, 0], [LOOKING, 1], [LOADED, 1], [LOADED, 5]);
  assert.equal(watch.fired, ['paper']);
  assert.is(watch.triggers.status()[0]?.failure, undefined);
});

test('a reading that the scan of another scanner ended does not disarm the trigger', async (watch) => {
  await watch.report([EMPTY, 0], [OTHERS_BUSY, 1], [LOADED, 1], [LOADED, 5]);
  assert.equal(watch.fired, ['paper']);
  assert.is(watch.triggers.status()[0]?.failure, undefined);
});

test('a failing scanner is logged once, and once more when it recovers', async (watch) => {
  await watch.report([EMPTY, 0], [OFF, 1], [OFF, 1]);
  assert.is(watch.triggers.status()[0]?.failure, OFF);
  await watch.report([LOADED, 1], [LOADED, 10]);
  assert.equal(watch.fired, [], 'it was switched on with paper in it');
  const events = watch.logged.lines().map(({ event }) => event);
  assert.equal(events, ['sensors_unknown', 'sensors_read']);
});

test('an unresponsive scanner does not delay others', async (watch) => {
  watch.profiles.push(watched('never', { paper: true }, { device: 'slow:0' }));
  const hang = new Promise<never>(() => {});
  for (const found of [EMPTY, LOADED, LOADED]) {
    watch.at += 3000;
    watch.answer = (device) => (device === 'slow:0' ? hang : found);
    await watch.readAgain();
  }
  assert.is(watch.reads.get('slow:0'), 1);
  assert.equal(watch.fired, ['paper']);
});

test('a scanner busy with another request is read in the next turn', async () => {
  let [at, reads] = [0, 0];
  const read = (): Promise<never> => {
    reads += 1;
    return Promise.reject(LOOKING);
  };
  const scanner = watchScanner({ read, onChange: () => {}, now: () => at, times: WATCH_TIMES });
  await scanner.look();
  at += 250;
  await scanner.look();
  assert.is(reads, 2);
});

test('a reloaded profile keeps its state; a changed trigger starts afresh', async (watch) => {
  await watch.report([EMPTY, 0]);
  watch.profiles[0] = watched('paper', { paper: true }, { resolution: 200 });
  await watch.report([LOADED, 1], [LOADED, 5]);
  assert.equal(watch.fired, ['paper']);
  await watch.report([EMPTY, 5]);
  watch.profiles[0] = watched('paper', { button: 'scan' });
  await watch.report([PRESSED, 1]);
  assert.equal(watch.fired, ['paper'], 'it was pressed at the first look');
});

test('two names of one scanner start one scan, and the other profile is reported as taken', async (watch) => {
  watch.profiles.splice(0, 1, { ...PAPER, name: 'a', device: 'acme' });
  watch.profiles.push({ ...PAPER, name: 'b', device: 'real:0' });
  await watch.report([EMPTY, 0], [LOADED, 1], [LOADED, 5]);
  assert.equal(watch.fired, ['a']);
  const taken = watch.triggers.status().map(({ profile, takenBy }) => `${profile}: ${takenBy}`);
  assert.equal(taken, ['a: undefined', 'b: a']);
});

test('a configured name and an address of one scanner start one scan', async (watch) => {
  const address = 'http://10.0.0.2/eSCL';
  const byAddress = `airscan:escl:Second:${address}`;
  const other = 'airscan:escl:Third:http://10.0.0.3/eSCL';
  watch.profiles.splice(0, 1, { ...PAPER, name: 'a', device: 'Second' });
  watch.profiles.push({ ...PAPER, name: 'b', device: byAddress });
  watch.profiles.push({ ...PAPER, name: 'c', device: other });
  const readings = new Map([
    ['Second', { device: 'airscan:e0:Second', address }],
    [byAddress, { device: byAddress, address }],
    [other, { device: other, address: 'http://10.0.0.3/eSCL' }],
  ]);
  for (const [found, seconds] of [
    [EMPTY, 0],
    [LOADED, 1],
    [LOADED, 5],
  ] as const) {
    watch.at += seconds * 1000;
    watch.answer = (device) => ({ ...found, ...readings.get(device) });
    await watch.readAgain();
  }
  assert.equal(watch.fired.toSorted(), ['a', 'c']);
  const taken = watch.triggers.status().map(({ profile, takenBy }) => `${profile}: ${takenBy}`);
  assert.equal(taken, ['a: undefined', 'b: a', 'c: undefined']);
  const checks = triggerChecks({ triggers: watch.triggers, uptime: () => watch.at });
  const results = await Promise.all(checks.map(({ run }) => run(new AbortController().signal)));
  assert.equal(
    results.map(({ status }) => status),
    ['ok', 'fail', 'ok'],
  );
});

function readingsOf(
  seconds: number,
  answer: (times: ReturnType<typeof createReadingTimes>, at: number) => void,
): number[] {
  const times = createReadingTimes(0, WATCH_TIMES);
  const read: number[] = [];
  for (let at = 0; at <= seconds * 1000; at += 250) {
    if (!times.isDue(at)) continue;
    read.push(at / 1000);
    answer(times, at);
  }
  return read;
}

test('failures double the wait, up to a minute', () => {
  const read = readingsOf(200, (times, at) => times.failed(at, at));
  assert.equal(read, [0, 1, 3, 7, 15, 31, 63, 123, 183]);
});

test('after ten quiet minutes, paper is checked every five seconds, and a button every second', () => {
  for (const [mayRest, expected] of [
    [true, [60, 12]],
    [false, [60, 60]],
  ] as const) {
    const read = readingsOf(20 * 60, (times, at) =>
      times.answered(at, at, { hasChanged: at === 0, mayRest }),
    );
    const perMinute = [0, 15].map((minute) => read.filter((at) => Math.floor(at / 60) === minute));
    assert.equal(
      perMinute.map(({ length }) => length),
      expected,
    );
  }
});

test('a scanner that takes 20 seconds to open is then left alone for four times as long', () => {
  const times = createReadingTimes(0, WATCH_TIMES);
  times.answered(0, 20_000, { hasChanged: true, mayRest: false });
  assert.equal([99_000, 100_000].map(times.isDue), [false, true]);
});

const it = scanTests('scans started at the scanner');

const BY_PAPER = { paper: true } as const;
const BY_BUTTON = { button: 'scan', function: 3 } as const;

interface Started extends BenchService {
  /** `device`: the scanner as its profile names it. */
  readonly fire: (trigger: typeof BY_PAPER | typeof BY_BUTTON, device?: string) => Promise<void>;
  readonly refused: readonly RefusedTrigger[];
}

async function started(
  bench: ScanBench,
  feed: Feed,
  { now = Date.now, listener = () => {} }: { now?: () => number; listener?: ScanListener } = {},
): Promise<Started> {
  const refused: RefusedTrigger[] = [];
  const service = await bench.start({ feed }, { listener });
  const { scans, archive } = service;
  const onRefused = (one: RefusedTrigger): void => void refused.push(one);
  const fire = triggeredScans({ scans, archive, onRefused, log: capturedLog().log, now });
  const fireAt: Started['fire'] = (trigger, device = 'auto') => {
    const { profile } = bench.call({ device });
    const maybeSame = (held: NamedScanner): boolean =>
      maybeSameScanner({ named: device }, held, () => undefined);
    return fire(profile, trigger, maybeSame);
  };
  return { ...service, fire: fireAt, refused };
}

it('are ordinary scans, and their record names the trigger', async (bench) => {
  const { fire, refused, archive } = await started(bench, feedPages(2));
  await fire(BY_BUTTON);
  const [summary] = (await archive.list(1)).scans;
  const { record } = await archive.find(summary?.id ?? '');
  assert.equal([record.state, record.trigger, record.pages.length], ['finished', BY_BUTTON, 2]);
  assert.equal(refused, []);
});

it('that fail report it, but not twice', async (bench) => {
  const { fire, refused, archive } = await started(bench, feedPages(1, JAM));
  await fire(BY_PAPER);
  assert.is((await archive.list(1)).scans[0]?.summary?.state, 'failed');
  assert.equal(refused, []);
});

it('that find the feeder in use are reported', async (bench) => {
  const { feed, goOn } = heldFeed();
  const page = Promise.withResolvers<void>();
  const { fire, refused, scans } = await started(bench, feed, {
    listener: ({ type }) => void (type === 'page' && page.resolve()),
  });
  const scan = scans.scan(bench.call());
  await within(EVENT_MS, page.promise, 'the first page');
  await fire(BY_BUTTON);
  assert.is(refused[0]?.failure.code, 'scanner_busy');
  goOn();
  await scan;
});

it('by paper yield to a held scan; a button does not', async (bench) => {
  let later = 0;
  const now = (): number => Date.now() + later;
  const { fire, refused, scans, archive } = await started(bench, feedPages(1), { now });
  const hold = { ...bench.call(), hold: true };
  const { scan_id: id } = await scans.scan(hold);
  const count = async (): Promise<number> => (await archive.list(10)).scans.length;
  await fire(BY_PAPER);
  assert.match(refused[0]?.failure.message ?? '', `Add it to scan ${id}`);
  assert.is(await count(), 1);
  later = 61 * 60_000;
  await fire(BY_PAPER);
  assert.is(await count(), 2);
  later = 0;
  await scans.scan(hold);
  await fire(BY_BUTTON);
  assert.is(await count(), 4);
});

it('by paper yield to a held scan after one that fed nothing', async (bench) => {
  let feed = feedPages(1);
  const { fire, refused, scans } = await started(bench, (...call) => feed(...call));
  const { scan_id: id } = await scans.scan({ ...bench.call(), hold: true });
  feed = feedPages(0);
  await failure('no_documents', scans.scan(bench.call()));
  feed = feedPages(1);
  await fire(BY_PAPER);
  assert.match(refused[0]?.failure.message ?? '', `Add it to scan ${id}`);
});

it('by paper do not yield to a scan held at another scanner', async (bench) => {
  const { fire, refused, scans, archive } = await started(bench, feedPages(1));
  const [one, other] = ['test:one', 'test:other'];
  const { scan_id: id } = await scans.scan({ ...bench.call({ device: one }), hold: true });
  await fire(BY_PAPER, other);
  assert.equal(refused, []);
  assert.is((await archive.list(10)).scans.length, 2);
  await fire(BY_PAPER, one);
  assert.match(refused[0]?.failure.message ?? '', `Add it to scan ${id}`);
});

it('by paper recognize the scanner of a held scan that is named by model', async (bench) => {
  const { fire, refused, scans } = await started(bench, feedPages(1));
  await scans.scan({ ...bench.call({ device: 'fi-6130' }), hold: true });
  for (const [device, count] of [
    ['test:other', 0],
    ['test:played', 1],
    ['a name that may mean it', 2],
  ] as const) {
    await fire(BY_PAPER, device);
    assert.is(refused.length, count, device);
  }
});

const same = suite('two names that may mean the same scanner');

const SECOND = 'airscan:escl:Second:http://10.0.0.2/eSCL';
const READINGS = new Map([
  ['Second', { device: 'airscan:e0:Second', address: 'http://10.0.0.2/eSCL' }],
  ['acme', { device: 'test:0' }],
]);

const PAIRS: [one: string, other: string, maybe: boolean][] = [
  ['auto', 'auto', true],
  ['Second', SECOND, true],
  ['second', 'Second', true],
  [SECOND, 'airscan:escl:2:http://10.0.0.2:80/eSCL/', true],
  [SECOND, 'airscan:escl:Second:http://10.0.0.3/eSCL', false],
  ['Second', 'airscan:escl:Third:http://10.0.0.3/eSCL', false],
  [SECOND, 'airscan:e7:Found', true],
  [SECOND, 'escl:http://10.0.0.2:80', true],
  ['acme', 'test:0', true],
  ['acme', 'test:1', false],
  ['acme', 'Second', false],
  ['acme', 'airscan:e7:Found', false],
  ['test:0', 'test:1', false],
  ['auto', 'test:1', true],
  ['not watched', 'test:1', true],
];

for (const [one, other, maybe] of PAIRS) {
  same(`${one} and ${other}: ${maybe}`, () => {
    const readingOf: ReadingOf = (name) => READINGS.get(name);
    assert.is(maybeSameScanner({ named: one }, { named: other }, readingOf), maybe);
    assert.is(maybeSameScanner({ named: other }, { named: one }, readingOf), maybe);
  });
}
