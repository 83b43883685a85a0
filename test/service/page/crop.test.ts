import { moved, resized, rounded } from '../../../service/page/scan/crop-geometry.js';
import { assert, suite } from '../../support/suite.ts';

const test = suite('the frame of a crop');

const SIZE = { width: 1000, height: 2000 };
const FRAME = { x: 0.2, y: 0.2, width: 0.4, height: 0.4, angle: 0 };

test('a corner moves with the finger, and the opposite corner stays', () => {
  const pull = { right: -1, down: -1, x: 100, y: -200 };
  assert.equal(rounded(resized(FRAME, pull, SIZE)), {
    x: 0.3,
    y: 0.1,
    width: 0.3,
    height: 0.5,
    angle: 0,
  });
});

test('a frame stays on the page and large enough to grab', () => {
  const out = resized(FRAME, { right: 1, down: 1, x: 5000, y: 5000 }, SIZE);
  assert.equal(rounded(out), { x: 0.2, y: 0.2, width: 0.8, height: 0.8, angle: 0 });
  const shut = resized(FRAME, { right: 1, down: 1, x: -5000, y: -5000 }, SIZE);
  assert.equal(rounded(shut), { x: 0.2, y: 0.2, width: 0.032, height: 0.02, angle: 0 });
  assert.equal(rounded(moved(FRAME, -5000, 5000, SIZE)), { ...FRAME, x: 0, y: 0.6 });
});

test('a turned frame grows along its own sides', () => {
  const frame = { ...FRAME, x: 0.3, y: 0.4, height: 0.2, angle: 90 };
  // The frame is turned by 90°, so down on the screen is along its width.
  const grown = resized(frame, { right: 1, down: 1, x: 0, y: 100 }, SIZE);
  assert.equal(rounded(grown), { x: 0.25, y: 0.425, width: 0.5, height: 0.2, angle: 90 });
});

test('rounding never extends a crop beyond the page', () => {
  const { x, width } = rounded({ x: 0.33335, y: 0, width: 0.66665, height: 1, angle: 0 });
  assert.ok(x + width <= 1);
});
