import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { DeviceRequest } from '../../../helpers/ipc/messages.ts';
import { checkPage, type CheckedPage } from '../../../helpers/scanner/page-check.ts';
import { tiffFile, type TiffShape } from '../../support/fake-scanimage/tiff-file.ts';
import { REQUEST } from './device-samples.ts';
import { assert, failure, withFixture } from '../../support/suite.ts';

const test = withFixture('a finished page', async (directory) => {
  const page_size = { width_mm: 25.4, height_mm: 50.8 };
  return {
    request: { ...REQUEST, resolution: 100, page_size, directory },
  };
});

const PLENTY = async (): Promise<number> => 1e12;
const PLACE = { number: 7, sheet: 4, side: 'front' } as const;
const NOTHING = async (): Promise<number> => 0;

async function check(
  request: DeviceRequest,
  shape: TiffShape,
  cut = 0,
  free = PLENTY,
): Promise<CheckedPage> {
  const content = tiffFile({ width: 100, height: 200, dpi: 100, ...shape });
  const file = path.join(request.directory, 'page-0007.tif');
  await writeFile(file, content.subarray(0, content.length - cut));
  return checkPage(request, PLACE, free);
}

test('is told with what its file says', async ({ request }) => {
  const bytes = tiffFile({ width: 100, height: 200 }).length;
  const measured = { bytes, width_px: 100, height_px: 200, dpi: 100, cropped: false };
  const page = { ...PLACE, filename: 'page-0007.tif', ...measured };
  assert.equal(await check(request, {}), { page, failure: undefined, otherSize: undefined });
});

/** What a page says; its resolution, whether that ends the scan, and whether its size is told. */
const PAGES: readonly (readonly [string, TiffShape, dpi: number, fails: boolean, told: boolean])[] =
  [
    [
      'with another resolution is a failure',
      { dpi: 150, width: 150, height: 300 },
      150,
      true,
      false,
    ],
    ['may be off by one dot an inch', { dpi: 99 }, 99, false, false],
    ['may not be off by two', { dpi: 98 }, 98, true, false],
    ['that does not tell its resolution has the one asked for', { dpi: 0 }, 100, false, false],
    ['that is longer tells its size', { height: 220 }, 100, false, true],
    ['that is narrower tells its size', { width: 80 }, 100, false, true],
    ['may be off by two millimetres', { width: 107, height: 193 }, 100, false, false],
  ];
for (const [what, shape, dpi, fails, told] of PAGES) {
  test(what, async ({ request }) => {
    const { page, failure, otherSize } = await check(request, shape);
    assert.is(page.dpi, dpi);
    assert.is(failure?.code, fails ? 'scanner_error' : undefined);
    if (fails) assert.match(failure?.message ?? '', `${dpi} dpi instead of 100 dpi`);
    const { width = 100, height = 200 } = shape;
    const size = { width_mm: (width / 100) * 25.4, height_mm: (height / 100) * 25.4 };
    if (!fails) assert.equal(otherSize, told ? size : undefined);
  });
}

test('that is cut off is set aside', async ({ request }) => {
  const { message } = await failure('scanner_error', check(request, {}, 1));
  assert.match(message, 'Page 7');
  assert.match(message, 'page-0007.tif.incomplete');
  assert.equal(await readdir(request.directory), ['page-0007.tif.incomplete']);
});

test('that is cut off by a full disk is removed', async ({ request }) => {
  const { message } = await failure('insufficient_storage', check(request, {}, 1, NOTHING));
  assert.match(message, 'page 7');
  assert.equal(await readdir(request.directory), []);
});
