import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  back,
  cutOf,
  inTurn,
  STILL,
  turnOf,
  type Motion,
} from '../../../../helpers/processor/page/motion.ts';

const test = suite('motions between images of a page');

const size = { width: 200, height: 100 };

function moved([a, b, c, d, x, y]: Motion, [u, v]: readonly [number, number]): number[] {
  return [a * u + c * v + x, b * u + d * v + y].map((value) => Math.round(value * 1e6) / 1e6);
}

test('a quarter turn brings the upper left corner to the upper right', () => {
  const turn = turnOf(90, size, { width: 100, height: 200 });
  assert.equal(moved(turn, [0, 0]), [100, 0]);
  assert.equal(moved(turn, [200, 0]), [100, 200]);
});

test('the middle stays the middle, whatever the angle', () => {
  assert.equal(moved(turnOf(7, size, { width: 220, height: 140 }), [100, 50]), [110, 70]);
});

test('what is cut off moves the rest', () => {
  assert.equal(moved(cutOf(10, 20), [15, 50]), [5, 30]);
});

test('a motion and the way back leave every place as it was', () => {
  const way = inTurn(turnOf(-3, size, size), cutOf(12, 7));
  assert.equal(moved(inTurn(way, back(way)), [31, 77]), [31, 77]);
  assert.equal(moved(STILL, [3, 4]), [3, 4]);
});

test.run();
