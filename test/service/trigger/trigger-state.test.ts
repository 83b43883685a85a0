import {
  advance,
  BUTTON_RULE,
  PAPER_RULE,
  UNKNOWN,
  type Sample,
  type TriggerRule,
} from '../../../service/trigger/trigger-state.ts';
import { seededRandom } from '../../fault/support/seeded-random.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('when the scanner starts a scan');

/** One character per second: `1` on, `0` off, `?` not known, `s` a scan has the scanner, `x` no answer, ` ` no sample. */
function samplesOf(seconds: string): Sample[] {
  return seconds.split('').flatMap((one, index): Sample[] => {
    const at = index * 1000;
    if (one === ' ') return [];
    if (one === 's') return [{ kind: 'scanned', at }];
    if (one === 'x') return [{ kind: 'failed' }];
    return [{ kind: 'read', at, on: one === '?' ? undefined : one === '1' }];
  });
}

/** The times at which a sequence fires, in seconds. */
function fires(samples: readonly Sample[], rule: TriggerRule): number[] {
  let state = UNKNOWN;
  return samples.flatMap((sample) => {
    const next = advance(state, sample, rule);
    ({ state } = next);
    return next.fires && 'at' in sample ? [sample.at / 1000] : [];
  });
}

const PAPER: readonly (readonly [what: string, seconds: string, fired: readonly number[]])[] = [
  ['paper that is put in, after two seconds', '000111', [5]],
  ['the same after it was scanned and put in again', '0111ss00111', [3, 10]],
  ['paper that lies there from the beginning', '111111', []],
  ['a sensor that always says that there is paper', '1'.repeat(1000), []],
  ['a sensor that never does', '0'.repeat(1000), []],
  ['a sensor that flaps each second', '01'.repeat(500), []],
  ['a sheet that is put in and taken out again', '0110011000', []],
  ['a jam that leaves paper', '0111ss11111111', [3]],
  ['paper that is taken out after a jam and put in again', '0111ss111?011111', [3, 13]],
  ['two sheets put in slowly: the first starts a scan, which leaves the second', '0111ss1111', [3]],
  ['paper that is put in while somebody scans from the phone', '0ss1111', []],
  ['paper that is there when a scan from the phone begins', '011ss111', []],
  ['a feeder that is jammed or open meanwhile', '011?111', [6]],
  ['a scanner that is switched off overnight and on again with paper in it', '00xxxx1111', []],
  ['a scanner that is switched on again empty', '00xxxx0111', [9]],
  ['seconds without a sample', '0 1   1', [6]],
];

for (const [what, seconds, fired] of PAPER) {
  test(`paper: ${what}`, () => {
    assert.equal(fires(samplesOf(seconds), PAPER_RULE), fired);
  });
}

const BUTTON: typeof PAPER = [
  ['a press, at once', '001', [2]],
  ['a press that lasts', '00111111', [2]],
  ['a second press', '0010001', [2, 6]],
  ['a button that is pressed at the first look', '1110', []],
  ['a button that is stuck', '01'.padEnd(1000, '1'), [1]],
  ['a press within three seconds of a scan', '0010ss10010', [2, 9]],
  ['a press during the scan that lasts beyond it', '001ss1111111', [2]],
  ['a press while somebody scans', '00sss11111', []],
];

for (const [what, seconds, fired] of BUTTON) {
  test(`button: ${what}`, () => {
    assert.equal(fires(samplesOf(seconds), BUTTON_RULE), fired);
  });
}

/** Sequences of samples that are tried, and samples of each. */
const SEQUENCES = 2000;
const LENGTH = 60;
const SEED = 24;

/** A scanner that does anything, with a habit: mostly on, mostly off, flapping, or failing. */
function randomSamples(random: () => number): Sample[] {
  const kinds = ['1', '0', '?', 's', 'x', ' '];
  const weights = kinds.map(() => random() ** 3);
  const sum = weights.reduce((a, b) => a + b, 0);
  const pick = (): string => {
    let left = random() * sum;
    return kinds.find((_, index) => (left -= weights[index] ?? 0) <= 0) ?? ' ';
  };
  return samplesOf(Array.from({ length: LENGTH }, pick).join(''));
}

for (const [name, rule] of Object.entries({ paper: PAPER_RULE, button: BUTTON_RULE })) {
  test(`whatever a scanner reports, ${name} fires only after it was seen off, and on without a break`, () => {
    const random = seededRandom(SEED);
    let fired = 0;
    for (let sequence = 0; sequence < SEQUENCES; sequence += 1) {
      const samples = randomSamples(random);
      const times = fires(samples, rule).map((second) => second * 1000);
      fired += times.length;
      for (const at of times) {
        const until = samples.findIndex((sample) => 'at' in sample && sample.at === at);
        const before = samples.slice(0, until + 1);
        const whole = JSON.stringify({ at, samples });
        const broken = before.findLastIndex((one) => one.kind !== 'read' || one.on !== true);
        const on = before.slice(broken + 1);
        const [first] = on;
        assert.ok(first && 'at' in first && at - first.at >= rule.holdMs, whole);
        const off = before.findLastIndex((one) => one.kind === 'read' && one.on === false);
        const reset = before.findLastIndex(
          (one) => one.kind !== 'read' || ('at' in one && times.includes(one.at) && one.at !== at),
        );
        assert.ok(off > reset, `off since the last scan, start or failure: ${whole}`);
        const scanned = before.findLast((one) => one.kind === 'scanned');
        assert.ok(!scanned || at - scanned.at >= rule.quietMs, whole);
      }
    }
    assert.ok(fired > SEQUENCES / 20, `${fired} fired`);
  });
}
