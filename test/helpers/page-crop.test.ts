import { cropRule, quarterTurn, turnedCrop, type Crop } from '../../helpers/page-crop.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite('a crop');

const CROP: Crop = { x: 0.1, y: 0.05, width: 0.5, height: 0.4, angle: 1.5 };

for (const [turn, turned] of [
  [0, CROP],
  [90, { x: 0.55, y: 0.1, width: 0.4, height: 0.5, angle: 1.5 }],
  [180, { x: 0.4, y: 0.55, width: 0.5, height: 0.4, angle: 1.5 }],
  [270, { x: 0.05, y: 0.4, width: 0.4, height: 0.5, angle: 1.5 }],
] as const) {
  test(`stays in place on a page that is turned by ${turn}`, () => {
    assert.equal(turnedCrop(CROP, turn), turned);
  });
}

test('is exactly the same after any turn and back', () => {
  for (let step = 0; step < 2000; step += 1) {
    const x = (step * 0.000_317) % 0.7;
    const y = (step * 0.000_733) % 0.6;
    const crop = { x, y, width: 0.98 - x, height: 1 - y, angle: (step % 91) - 45 };
    const { value, error } = cropRule.validate(crop);
    assert.is(error, undefined);
    for (const turn of [90, 180, 270] as const) {
      const there = turnedCrop(value, turn);
      assert.is(cropRule.validate(there).error, undefined, JSON.stringify(there));
      assert.equal(turnedCrop(there, quarterTurn(-turn)), value);
    }
  }
});

test('may touch the edges, despite rounding errors', () => {
  for (const [given, taken] of [
    [
      { x: 0, y: 0, width: 1, height: 1 },
      { x: 0, y: 0, width: 1, height: 1, angle: 0 },
    ],
    [
      { x: 0.1 + 0.2, y: -0, width: 0.7, height: 0.02, angle: -45 },
      { x: 0.3, y: 0, width: 0.7, height: 0.02, angle: -45 },
    ],
    [
      { x: 1 / 3, y: 0.333_333_5, width: 2 / 3, height: 0.666_666_5, angle: 45 },
      { x: 0.333_333, y: 0.333_334, width: 0.666_667, height: 0.666_666, angle: 45 },
    ],
  ]) {
    assert.equal(cropRule.validate(given), { value: taken });
  }
});

test('rounds degrees to quarters', () => {
  const turns = [-90.4, -45, -0.2, 44, 89.6, 181, 359.7].map(quarterTurn);
  assert.equal(turns, [270, 0, 0, 0, 90, 180, 0]);
});
