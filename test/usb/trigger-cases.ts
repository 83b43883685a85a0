import { once } from 'node:events';
import path from 'node:path';
import * as assert from 'uvu/assert';
import { PAGES_DIR } from '../../simulators/pages/manifest.ts';
import { OP } from '../../simulators/usb-scanner/scsi.ts';
import { within } from '../support/within.ts';
import type { Case } from './cases.ts';
import type { Lab } from './lab.ts';
import { withProfiles } from './profile-files.ts';
import { scansOf } from './scans.ts';

const BANK = path.join(PAGES_DIR, 'letter-bank.jpg');
const REPORT = path.join(PAGES_DIR, 'report.jpg');

const SMALL = { source: 'ADF Front', mode: 'Gray', resolution: 200 };

/** Opening the scanner takes seconds under emulation, and the service leaves it alone for four times as long. */
const READING_MS = 600_000;

type Trigger = object;

/** Scans that are started at the scanner. */
export const TRIGGER_CASES: readonly Case[] = [
  {
    title:
      'the scan button starts one scan, however long it is held, and another when it is pressed again',
    run: (lab) =>
      withTriggers(lab, { pressed: { button: 'scan' } }, async () => {
        const { scanner } = lab;
        scanner.load([BANK]);
        const first = await scannedAfter(lab, () => press(lab, true));
        assert.equal(first, { profile: 'pressed', state: 'finished', pages: 1 });
        scanner.load([REPORT]);
        await readings(lab);
        assert.not(scanner.feeder.isEmpty, 'the button that was still held fed a sheet');
        press(lab, false);
        await readings(lab);
        const second = await scannedAfter(lab, () => press(lab, true));
        assert.equal(second, first);
      }),
  },
  {
    title: 'the function number tells the profiles of one button apart',
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
    title:
      'paper starts a scan; what a jam leaves in the feeder starts nothing until it was taken out',
    run: (lab) =>
      withTriggers(lab, { loaded: { paper: true } }, async () => {
        const { scanner } = lab;
        scanner.state.fault = { kind: 'jam', atSheet: 2 };
        const jammed = await scannedAfter(lab, () => scanner.load([BANK, REPORT]));
        assert.equal(jammed, { profile: 'loaded', state: 'failed', pages: 1 });
        scanner.state.fault = undefined;
        await readings(lab);
        assert.not(scanner.feeder.isEmpty, 'what the jam left was fed');
        scanner.load([]);
        await readings(lab);
        const rest = await scannedAfter(lab, () => scanner.load([REPORT]));
        assert.equal(rest, { profile: 'loaded', state: 'finished', pages: 1 });
      }),
  },
  {
    title: 'a service that is killed when a press has begun a scan does not begin it again',
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
        await readings(lab);
        const after = await scansOf(lab);
        assert.is(after.length, before.length + 1);
        assert.is(after[0]?.state, 'interrupted');
      }),
  },
];

/** Runs with these profiles, which would start scans in other cases; begins when each trigger was seen off. */
async function withTriggers(
  lab: Lab,
  triggers: Readonly<Record<string, Trigger>>,
  run: () => Promise<void>,
): Promise<void> {
  const profiles = Object.fromEntries(
    Object.entries(triggers).map(([name, trigger]) => [name, { ...SMALL, trigger }]),
  );
  await withProfiles(lab.guest, profiles, async () => {
    // The self-test opens the scanner, too: once or twice more when it has answered.
    await lab.request('GET', '/self-test');
    await readings(lab);
    await readings(lab);
    await run();
  });
}

/**
 * Waits until the sensors were read once more from beginning to end: the number of the device is asked for once whenever it is opened,
 * so the second time the reading that began after this call is known to the service.
 */
async function readings({ scanner }: Lab): Promise<void> {
  for (let opened = 0; opened < 2;) {
    const [operation] = await within(READING_MS, once(scanner.events, 'command'), 'a reading');
    if (operation === OP.receiveDiagnostic) opened += 1;
  }
}

function press({ scanner }: Lab, isDown: boolean): void {
  scanner.state.scanButton = isDown;
}

/** The one scan that an act at the scanner starts, when it has ended. */
async function scannedAfter(
  lab: Lab,
  act: () => void,
): Promise<{ profile: string; state: string; pages: number }> {
  const before = await scansOf(lab);
  const fed = once(lab.scanner.events, 'sheet');
  act();
  await within(READING_MS, fed, 'the first sheet');
  const [begun] = await scansOf(lab);
  assert.ok(begun, 'there is no scan');
  // The stream of a scan ends with it.
  await lab.bytes(`/scans/${begun.scan_id}/events`);
  const after = await scansOf(lab);
  assert.is(after.length, before.length + 1);
  const [{ profile, state, page_count: pages } = begun] = after;
  return { profile, state, pages };
}
