import { EventEmitter, once } from 'node:events';
import { Failure } from '../../../helpers/failure.ts';
import type { SensorReading } from '../../../helpers/ipc/messages.ts';
import type { Profile } from '../../../service/profiles/profile.ts';
import { createReadingTimes, WATCH_TIMES } from '../../../service/trigger/reading-times.ts';
import { watchTriggers, type Triggers } from '../../../service/trigger/triggers.ts';
import { watchScanner } from '../../../service/trigger/watched-scanner.ts';
import { capturedLog, type CapturedLog } from '../../support/captured-log.ts';
import { testProfile } from '../../support/test-profile.ts';
import { type Fixture, assert, withFixture, within } from '../../support/suite.ts';

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;
const EVERY_MS = 5;

type Answer = Partial<SensorReading> | Failure;

interface Watch extends Fixture {
  readonly profiles: Profile[];
  /** What the scanner answers from now on. */
  answer: (device: string) => Answer | Promise<never>;
  /** The clock of the triggers, which stands still. */
  at: number;
  readonly fired: string[];
  readonly logged: CapturedLog;
  /** How often a device was read. */
  readonly reads: Map<string, number>;
  /** Resolves when every scanner was read once more. */
  readonly readAgain: () => Promise<void>;
  readonly triggers: Triggers;
}

const EMPTY = { paper: false, sensors: { scan: false } };
const LOADED = { paper: true, sensors: { scan: false } };
const PRESSED = { paper: true, sensors: { scan: true }, function: 3 };
const BUSY = new Failure('scanner_busy', 'In use.', { facts: { busy_with: 'a-scan' } });
const LOOKING = new Failure('scanner_busy', 'Looked at.', { facts: { looking: true } });
const OFF = new Failure('no_scanner_detected', 'There is none.');

const PAPER = testProfile({ name: 'paper', trigger: { paper: true } });

const test = withFixture<Watch>('scanners whose profiles have a trigger', async () => {
  const read = new EventEmitter<{ read: [] }>();
  const logged = capturedLog();
  const watch: Omit<Watch, 'triggers' | 'close'> = {
    profiles: [PAPER],
    answer: () => EMPTY,
    at: 0,
    fired: [],
    logged,
    reads: new Map(),
    readAgain: async () => {
      // The one under way may have been asked before the answer was changed.
      for (let times = 0; times < 2 * watch.profiles.length; times += 1)
        await within(EVENT_MS, once(read, 'read'), 'a reading');
      await new Promise((resolve) => setImmediate(resolve));
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
    log: logged.log,
    times: { ...WATCH_TIMES, everyMs: 0, longestMs: 0 },
    tickMs: EVERY_MS,
    now: () => watch.at,
  });
  return Object.assign(watch, { triggers, close: async () => triggers.close() });
});

/** What is reported from now on, that many seconds later. */
async function report(watch: Watch, answer: Answer, seconds = 0): Promise<void> {
  watch.at += seconds * 1000;
  watch.answer = () => answer;
  await watch.readAgain();
}

test('paper that is put in starts the scan of its profile, once', async (watch) => {
  await report(watch, EMPTY);
  await report(watch, LOADED, 1);
  assert.equal(watch.fired, []);
  await report(watch, LOADED, 2);
  await report(watch, LOADED, 10);
  assert.equal(watch.fired, ['paper']);
});

test('a press starts the profile of its function number', async (watch) => {
  const button = (number: number): Profile =>
    testProfile({ name: `f${number}`, trigger: { button: 'scan', function: number } });
  watch.profiles.splice(0, 1, button(2), button(3));
  await report(watch, EMPTY);
  await report(watch, PRESSED, 1);
  assert.equal(watch.fired, ['f3']);
  assert.is(watch.reads.size, 1, 'one scanner, read once for both');
});

test('a scan between two readings is noticed by its number, and leaves paper alone', async (watch) => {
  await report(watch, EMPTY);
  await report(watch, { ...LOADED, scans: 1 }, 1);
  await report(watch, { ...LOADED, scans: 1 }, 10);
  assert.equal(watch.fired, []);
  await report(watch, { ...EMPTY, scans: 1 }, 1);
  await report(watch, { ...LOADED, scans: 1 }, 1);
  await report(watch, { ...LOADED, scans: 1 }, 3);
  assert.equal(watch.fired, ['paper']);
});

test('a scan that has the scanner disarms it; a question of somebody does not', async (watch) => {
  await report(watch, EMPTY);
  await report(watch, BUSY, 1);
  await report(watch, LOADED, 1);
  await report(watch, LOADED, 5);
  assert.equal(watch.fired, []);
  await report(watch, EMPTY);
  await report(watch, LOOKING, 1);
  await report(watch, LOADED, 1);
  await report(watch, LOADED, 5);
  assert.equal(watch.fired, ['paper']);
  assert.is(watch.triggers.status()[0]?.failure, undefined);
});

test('a scanner that fails is logged once, and once when it answers again', async (watch) => {
  await report(watch, EMPTY);
  await report(watch, OFF, 1);
  await report(watch, OFF, 1);
  assert.is(watch.triggers.status()[0]?.failure, OFF);
  await report(watch, LOADED, 1);
  await report(watch, LOADED, 10);
  assert.equal(watch.fired, [], 'it was switched on with paper in it');
  const events = watch.logged.lines().map(({ event }) => event);
  assert.equal(events, ['sensors_unknown', 'sensors_read']);
});

test('a scanner that does not answer keeps no other waiting', async (watch) => {
  const never = testProfile({ name: 'never', device: 'slow:0', trigger: { paper: true } });
  watch.profiles.push(never);
  const hang = new Promise<never>(() => {});
  const reporting = (found: Answer) => (device: string) => (device === 'slow:0' ? hang : found);
  for (const found of [EMPTY, LOADED, LOADED]) {
    watch.at += 3000;
    watch.answer = reporting(found);
    await watch.readAgain();
  }
  assert.is(watch.reads.get('slow:0'), 1);
  assert.equal(watch.fired, ['paper']);
});

test('a scanner that another question kept from being read is read at the next turn', async () => {
  let [at, reads] = [0, 0];
  const watched = watchScanner({
    read: () => {
      reads += 1;
      return Promise.reject(LOOKING);
    },
    onChange: () => {},
    now: () => at,
    times: WATCH_TIMES,
  });
  await watched.look();
  at += 250;
  await watched.look();
  assert.is(reads, 2);
});

test('a profile that is loaded anew goes on where it was; another trigger begins anew', async (watch) => {
  await report(watch, EMPTY);
  watch.profiles[0] = testProfile({ name: 'paper', trigger: { paper: true }, resolution: 200 });
  await report(watch, LOADED, 1);
  await report(watch, LOADED, 5);
  assert.equal(watch.fired, ['paper']);
  await report(watch, EMPTY, 5);
  watch.profiles[0] = testProfile({ name: 'paper', trigger: { button: 'scan' } });
  await report(watch, PRESSED, 1);
  assert.equal(watch.fired, ['paper'], 'it was pressed at the first look');
});

test('two names of one scanner start one scan, and the self-test can say which', async (watch) => {
  watch.profiles.splice(0, 1, { ...PAPER, name: 'a', device: 'acme' });
  watch.profiles.push({ ...PAPER, name: 'b', device: 'real:0' });
  await report(watch, EMPTY);
  await report(watch, LOADED, 1);
  await report(watch, LOADED, 5);
  assert.equal(watch.fired, ['a']);
  const taken = watch.triggers.status().map(({ profile, takenBy }) => [profile, takenBy]);
  assert.equal(taken, [
    ['a', undefined],
    ['b', 'a'],
  ]);
});

/** When a scanner is read that answers so, in seconds, within the time. */
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

test('after ten quiet minutes paper is looked for every five seconds, and a button every second', () => {
  const perMinute = (mayRest: boolean): number[] => {
    const read = readingsOf(20 * 60, (times, at) =>
      times.answered(at, at, { hasChanged: at === 0, mayRest }),
    );
    return [0, 15].map(
      (minute) => read.filter((at) => at >= minute * 60 && at < (minute + 1) * 60).length,
    );
  };
  assert.equal(perMinute(true), [60, 12]);
  assert.equal(perMinute(false), [60, 60]);
});

test('a scanner that takes 20 seconds to open is left alone for four times as long', () => {
  const times = createReadingTimes(0, WATCH_TIMES);
  times.answered(0, 20_000, { hasChanged: true, mayRest: false });
  assert.equal([99_000, 100_000].map(times.isDue), [false, true]);
});
