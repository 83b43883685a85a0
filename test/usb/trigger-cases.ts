import { once } from 'node:events';
import path from 'node:path';
import { PAGES_DIR } from '../../simulators/pages/manifest.ts';
import { BUTTON_RULE, PAPER_RULE, type TriggerRule } from '../../service/trigger/trigger-state.ts';
import { OP } from '../../simulators/usb-scanner/scsi.ts';
import { assert, within } from '../support/suite.ts';
import { until } from '../compose/appliance.ts';
import type { Case } from './cases.ts';
import { selfTestOf } from './expectations.ts';
import type { Answer, Lab } from './lab.ts';
import { SHEET_DPI } from './numbered-sheets.ts';
import { withProfiles } from './profile-files.ts';
import { LOOK_EVERY_MS, scansOf } from './scans.ts';

const BANK = path.join(PAGES_DIR, 'letter-bank.jpg');
const REPORT = path.join(PAGES_DIR, 'report.jpg');

const SMALL = {
  source: 'ADF Front',
  mode: 'Gray',
  resolution: SHEET_DPI,
  processing: { ocr: false },
};

/** SANE sends this command once each time it opens the scanner. */
const READS = OP.receiveDiagnostic;

/** Time limit for the next reading, which takes seconds, after a pause of four times as long. */
const READING_MS = 600_000;

type Trigger = object;

export const TRIGGER_CASES: readonly Case[] = [
  {
    title:
      'the scan button starts one scan, however long it is held, and another when pressed again',
    run: (lab) =>
      withTriggers(lab, { pressed: { button: 'scan' } }, async () => {
        const { scanner } = lab;
        scanner.load([BANK]);
        const first = await scannedAfter(lab, () => press(lab, true));
        assert.equal(first, { profile: 'pressed', state: 'finished', pages: 1 });
        scanner.load([REPORT]);
        await untilTriggerCouldFire(lab, BUTTON_RULE);
        assert.not(scanner.feeder.isEmpty, 'the button that was still held fed a sheet');
        press(lab, false);
        await untilSensorsRead(lab);
        const second = await scannedAfter(lab, () => press(lab, true));
        assert.equal(second, first);
      }),
  },
  {
    title: 'the function number distinguishes the profiles of one button',
    run: (lab) =>
      withTriggers(
        lab,
        { one: { button: 'scan', function: 1 }, three: { button: 'scan', function: 3 } },
        async () => {
          lab.scanner.load([BANK]);
          lab.scanner.state.functionNumber = 3;
          const scan = await scannedAfter(lab, () => press(lab, true));
          assert.equal(scan, { profile: 'three', state: 'finished', pages: 1 });
        },
      ),
  },
  {
    title: 'paper starts a scan; paper left by a jam starts nothing until it is removed',
    run: (lab) =>
      withTriggers(lab, { loaded: { paper: true } }, async () => {
        const { scanner } = lab;
        scanner.setFault({ kind: 'jam', atSheet: 2 });
        const jammed = await scannedAfter(lab, () => scanner.load([BANK, REPORT]));
        assert.equal(jammed, { profile: 'loaded', state: 'failed', pages: 1 });
        scanner.setFault();
        await untilTriggerCouldFire(lab, PAPER_RULE);
        assert.not(scanner.feeder.isEmpty, 'what the jam left was fed');
        scanner.load([]);
        await untilSensorsRead(lab);
        const rest = await scannedAfter(lab, () => scanner.load([REPORT]));
        assert.equal(rest, { profile: 'loaded', state: 'finished', pages: 1 });
      }),
  },
  {
    title:
      'paper present at power-on and a flapping sensor start nothing; two sheets inserted slowly become one scan',
    run: (lab) =>
      withTriggers(lab, { loaded: { paper: true } }, async () => {
        const { scanner } = lab;
        const before = await scansOf(lab);
        await switchedOffAndOn(lab, () => scanner.load([BANK]));
        await untilTriggerCouldFire(lab, PAPER_RULE);
        assert.not(scanner.feeder.isEmpty, 'what was there was fed');
        const flap = (operation: number): void => {
          if (operation === READS) scanner.load(scanner.feeder.isEmpty ? [BANK] : []);
        };
        scanner.events.on('command', flap);
        for (let reading = 0; reading < 4; reading += 1) await untilSensorsRead(lab);
        scanner.events.off('command', flap);
        assert.is((await scansOf(lab)).length, before.length);
        scanner.load([]);
        await untilSensorsRead(lab);
        const scan = await scannedAfter(lab, async () => {
          await untilItWaits(lab, () => scanner.load([BANK]));
          scanner.load([REPORT]);
          scanner.setFault();
        });
        assert.equal(scan, { profile: 'loaded', state: 'finished', pages: 2 });
      }),
  },
  {
    title: 'a sensor that never sees paper starts nothing, and a phone can scan that paper',
    run: (lab) =>
      withTriggers(lab, { loaded: { paper: true } }, async () => {
        const { scanner } = lab;
        scanner.state.seesPaper = false;
        scanner.load([BANK]);
        await untilTriggerCouldFire(lab, PAPER_RULE);
        assert.not(scanner.feeder.isEmpty, 'paper that nobody saw was fed');
        const { status, body } = await lab.scan('small');
        assert.equal([status, body['page_count']], [200, 1]);
      }),
  },
  {
    title: 'a press while somebody scans from the phone starts nothing, and the next one does',
    run: (lab) =>
      withTriggers(lab, { pressed: { button: 'scan' } }, async () => {
        const { scanner } = lab;
        let phone: Promise<Answer> | undefined;
        scanner.load([BANK]);
        await untilItWaits(lab, () => {
          phone = lab.scan('small');
        });
        press(lab, true);
        scanner.setFault();
        assert.is((await phone)?.status, 200);
        scanner.load([REPORT]);
        await untilTriggerCouldFire(lab, BUTTON_RULE);
        assert.not(scanner.feeder.isEmpty, 'the press during the scan fed a sheet');
        press(lab, false);
        await untilSensorsRead(lab);
        const own = await scannedAfter(lab, () => press(lab, true));
        assert.equal(own, { profile: 'pressed', state: 'finished', pages: 1 });
      }),
  },
  {
    title: 'a service killed after a press has started a scan does not start it again',
    run: (lab) =>
      withTriggers(lab, { pressed: { button: 'scan' } }, async () => {
        const { scanner, guest } = lab;
        scanner.load([BANK, REPORT, BANK]);
        const fed = once(scanner.events, 'sheet');
        const before = await scansOf(lab);
        press(lab, true);
        await within(READING_MS, fed, 'the first sheet');
        await guest.run('systemctl kill -s KILL scan-service');
        await lab.ready();
        await untilSensorsRead(lab);
        const after = await scansOf(lab);
        assert.is(after.length, before.length + 1);
        assert.is(after[0]?.state, 'interrupted');
      }),
  },
];

/**
 * Triggers would disturb other cases, so these profiles exist only during `run`, which starts once
 * every sensor has been seen off.
 */
export async function withTriggers(
  lab: Lab,
  triggers: Readonly<Record<string, Trigger>>,
  run: () => Promise<void>,
): Promise<void> {
  const profiles = Object.fromEntries(
    Object.entries(triggers).map(([name, trigger]) => [name, { ...SMALL, trigger }]),
  );
  await withProfiles(lab.guest, profiles, async () => {
    // The self-test also opens the scanner, once or twice even after it has answered.
    await lab.request('GET', '/self-test');
    await untilSensorsRead(lab);
    await untilSensorsRead(lab);
    await run();
  });
}

/**
 * Waits for a complete reading that starts at least `afterMs` from now. SANE sends READS once per
 * opening, so after the second READS the service knows the first reading.
 */
async function untilSensorsRead({ scanner }: Lab, afterMs = 0): Promise<void> {
  const from = performance.now() + afterMs;
  for (let opened = 0; opened < 2;) {
    const [operation] = await within(READING_MS, once(scanner.events, 'command'), 'a reading');
    if (operation === READS && performance.now() >= from) opened += 1;
  }
}

/** Waits until a trigger would have fired: the last scan has ended, the cool-down has passed. */
export async function untilTriggerCouldFire(
  lab: Lab,
  { holdMs, quietMs }: TriggerRule,
): Promise<void> {
  await untilSensorsRead(lab);
  await untilSensorsRead(lab, holdMs + quietMs);
}

/** Plugs the scanner in again once the service has noticed its absence. */
async function switchedOffAndOn(lab: Lab, meanwhile: () => void): Promise<void> {
  const [socket] = lab.guest.sockets;
  await socket?.unplug();
  const hasFailed = async (): Promise<boolean> =>
    (await selfTestOf(lab, 'loaded', 'trigger')).startsWith('warn: The sensors cannot be read.');
  await until(READING_MS, 'a reading that fails', hasFailed, LOOK_EVERY_MS);
  meanwhile();
  socket?.plugIn(lab.scanner);
}

/** Triggers a scan whose first sheet stays half-way until the fault is removed. */
async function untilItWaits({ scanner }: Lab, act: () => void): Promise<void> {
  scanner.setFault({ kind: 'wait', atSheet: 1 });
  const waits = once(scanner.events, 'waits');
  act();
  await within(READING_MS, waits, 'the middle of the first sheet');
}

function press({ scanner }: Lab, isDown: boolean): void {
  scanner.state.scanButton = isDown;
}

/** Acts at the scanner, and waits for the end of the only scan that this starts. */
async function scannedAfter(
  lab: Lab,
  act: () => void | Promise<void>,
): Promise<{ profile: string; state: string; pages: number }> {
  const before = await scansOf(lab);
  const fed = once(lab.scanner.events, 'sheet');
  await act();
  await within(READING_MS, fed, 'the first sheet');
  const [begun] = await scansOf(lab);
  assert.ok(begun, 'there is no scan');
  await lab.bytes(`/scans/${begun.scan_id}/events`);
  const after = await scansOf(lab);
  assert.is(after.length, before.length + 1);
  const [{ profile, state, page_count: pages } = begun] = after;
  return { profile, state, pages };
}
