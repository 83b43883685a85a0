import { Failure } from '../../../helpers/failure.ts';
import { triggerChecks } from '../../../service/self-test/check-triggers.ts';
import type { TriggerStatus } from '../../../service/trigger/triggers.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('what the self-test says of buttons and paper');

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
  test(`${JSON.stringify(change)} after ${uptime / HOUR_MS} h`, async () => {
    assert.match(await found(change, uptime), expected);
  });
}
