import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { pageBytes } from '../../../helpers/scanner/page-size.ts';

const test = suite('bytes of a page');

const A4 = { width_mm: 210, height_mm: 297 };
const bytes = (
  mode: string,
  scanner_options: Record<string, string | number | boolean> = {},
): number => pageBytes({ page_size: A4, resolution: 300, mode, scanner_options });

test('are never fewer than the file has', () => {
  // An A4 page at 300 dpi as scanimage writes it, in gray and colour, measured.
  assert.ok(bytes('Gray') >= 8_700_062);
  assert.ok(bytes('Gray') < 8_800_000);
  assert.ok(bytes('Color') >= 26_099_742);
  assert.ok(bytes('Color') < 26_300_000);
});

test('depend on the mode', () => {
  for (const mode of ['Lineart', 'Halftone', 'Black & White'])
    assert.ok(bytes(mode) < 1_120_000, mode);
  assert.is(bytes('Grayscale'), bytes('Gray'));
  assert.is(bytes('True Grey'), bytes('Gray'));
  assert.is(bytes('24bit'), bytes('Color'));
});

test('are twice as many with sixteen bits', () => {
  assert.ok(bytes('Gray', { depth: 16 }) > 17_400_000);
  assert.ok(bytes('Color', { depth: '16' }) > 52_000_000);
});

test.run();
