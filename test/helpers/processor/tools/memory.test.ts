import os from 'node:os';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  DOCUMENT_MEMORY_BYTES,
  pageMemory,
  pixelsWithin,
  programMemory,
} from '../../../../helpers/processor/tools/memory.ts';

const test = suite('memory of programs');

const GIB = 1024 ** 3;
const A4_300_DPI = 2480 * 3508;

test('is part of that of the machine or container', () => {
  assert.ok(programMemory() > 0 && programMemory() < os.totalmem());
});

test('of the shipped container is enough for what people scan, two at a time, and for a document beside', () => {
  const shipped = 0.6 * 3 * GIB;
  assert.ok(2 * pageMemory({ pixels: A4_300_DPI, gray: false }) + DOCUMENT_MEMORY_BYTES < shipped);
  assert.ok(2 * pageMemory({ pixels: 4 * A4_300_DPI, gray: false }) < shipped);
  // A3 at 600 dpi in colour, one at a time.
  assert.ok(pageMemory({ pixels: 8 * A4_300_DPI, gray: false }) < shipped);
  assert.ok(pageMemory({ pixels: 16 * A4_300_DPI, gray: true }) < shipped);
  assert.ok(pageMemory({ pixels: 289_000_000, gray: true }) > shipped);
});

test('grows with the page, and says how many pixels fit', () => {
  const bytes = pageMemory({ pixels: A4_300_DPI, gray: false });
  assert.is(pixelsWithin(bytes), A4_300_DPI);
  assert.is(pixelsWithin(1), 0);
});

test.run();
