import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { assignSlots } from '../../../service/archive/destination-slots.ts';
import type { DestinationSlots } from '../../../service/archive/scan-record.ts';

const test = suite('the slots that deliveries are kept by');

const A = 'http://a:8000';
const B = 'http://b:8000';
const C = 'http://c:8000';
const NEW = 'http://new:8000';

/** The slots of destinations, after those of the settings before. */
function slotsAfter(...settings: readonly string[][]): DestinationSlots {
  let slots: DestinationSlots | undefined;
  for (const addresses of settings) {
    slots = assignSlots(
      addresses.map((base_url) => ({ base_url })),
      slots,
    );
  }
  return slots ?? { addresses: [], current: [] };
}

/** What becomes of the slots when the settings are corrected: the slot of each destination, in the new order. */
const CORRECTIONS: [string, string[][], number[]][] = [
  ['begin in the order of the profile', [[A, B]], [0, 1]],
  [
    'follow a destination that the profile names at another place',
    [
      [A, B],
      [B, A],
    ],
    [1, 0],
  ],
  ['follow it when one before it is left out', [[A, B], [B]], [1]],
  ['are kept for a destination that is left out and comes back', [[A, B], [B], [A, B]], [0, 1]],
  [
    'stay when an address is corrected',
    [
      [A, B],
      [A, NEW],
    ],
    [0, 1],
  ],
  [
    'stay when an address is corrected and moved',
    [
      [A, B],
      [NEW, A],
    ],
    [1, 0],
  ],
  ['stay when the only system moves', [[A], [NEW]], [0]],
  ['stay when it moves back', [[A], [NEW], [A]], [0]],
  ['are new for a destination beyond those that were there', [[A], [A, NEW]], [0, 1]],
  ['are new for one that comes first', [[A], [NEW, A]], [1, 0]],
  [
    'are new where all are named still',
    [
      [A, B],
      [C, A, B],
    ],
    [2, 0, 1],
  ],
  ['are of their own for two accounts of one system', [[A, A]], [0, 1]],
  [
    'stay apart for two accounts of one system',
    [
      [A, A, B],
      [B, A, A],
    ],
    [2, 0, 1],
  ],
  ['stay apart when one account is left', [[A, A], [A]], [0]],
  ['are none without destinations', [[A], []], []],
];

for (const [what, settings, current] of CORRECTIONS) {
  test(what, () => assert.equal(slotsAfter(...settings).current, current));
}

test('know the address that each had last', () => {
  assert.equal(slotsAfter([A, B], [NEW, B, C]).addresses, [NEW, B, C]);
});

for (const same of ['http://A:8000', 'http://a:8000/', 'http://a:8000//']) {
  test(`take ${same} for ${A}`, () => {
    assert.equal(slotsAfter([B, A], [same]).current, [1]);
  });
}

for (const other of ['https://a:8000', 'http://a', 'http://a:8000/dms', 'http://a:8001']) {
  test(`take ${other} for another place than ${A}`, () => {
    assert.equal(slotsAfter([A], [A, other]).current, [0, 1]);
  });
}

test('never fall together, whatever the settings were', () => {
  const choices = [[], [A], [B, A], [A, A, C], [NEW], [C, NEW, A], [B, B]];
  for (const one of choices) {
    for (const two of choices) {
      for (const three of choices) {
        const { current, addresses } = slotsAfter(one, two, three);
        assert.is(new Set(current).size, three.length);
        assert.ok(current.every((slot) => slot < addresses.length));
      }
    }
  }
});

test.run();
