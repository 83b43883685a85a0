import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { InkCells } from '../../../../helpers/processor/page/image-jobs.ts';
import { cutOf, STILL, turnOf, type Motion } from '../../../../helpers/processor/page/motion.ts';
import { leavesMuch } from '../../../../helpers/processor/page/second-look.ts';

/** Which pages are read a second time; hard-pages.test.ts has what that finds. */
const test = suite('whether much of the ink was left unread');

const DPI = 254;
const SIZE_MM = 2;
const PER_CELL = (SIZE_MM * DPI) / 25.4;
const [COLUMNS, ROWS] = [20, 16];
const PAGE = { width: COLUMNS * PER_CELL, height: ROWS * PER_CELL };

/** Ink in the upper rows. */
function inkIn(rows: number): InkCells {
  const cells = Buffer.alloc((COLUMNS * ROWS) / 8);
  for (let cell = 0; cell < rows * COLUMNS; cell++)
    cells[cell >> 3] = (cells[cell >> 3] ?? 0) | (0x80 >> (cell & 7));
  return { size: SIZE_MM, columns: COLUMNS, cells: cells.toString('base64') };
}

/** A word over so many rows, as wide as the page. */
function wordOver(rows: number): { left: number; top: number; right: number; bottom: number } {
  return { left: 0, top: 0, right: PAGE.width, bottom: (rows - 0.6) * PER_CELL };
}

function leaves(ink: InkCells, rows: number, motion: Motion = STILL): boolean {
  const image = { ...PAGE, file: 'page.tif', dpi: DPI, bilevel: false };
  return leavesMuch(rows === 0 ? [] : [wordOver(rows)], ink, { image, motion });
}

test('not if words cover it, or all but a quarter', () => {
  assert.is(leaves(inkIn(12), 12), false);
  assert.is(leaves(inkIn(12), 10), false);
  assert.is(leaves(inkIn(12), 9), true);
  assert.is(leaves(inkIn(12), 0), true);
});

test('not if it is as little as a signature', () => {
  assert.is(leaves(inkIn(1), 0), false);
  assert.is(leaves(inkIn(2), 0), true);
  assert.is(leaves(inkIn(0), 0), false);
});

test('the words lie on an image that was turned and moved', () => {
  const upsideDown = turnOf(180, PAGE, PAGE);
  assert.is(leaves(inkIn(8), 8, upsideDown), true);
  assert.is(leaves(inkIn(16), 16, upsideDown), false);
  assert.is(leaves(inkIn(8), 8, cutOf(0, -4 * PER_CELL)), true);
});

test.run();
