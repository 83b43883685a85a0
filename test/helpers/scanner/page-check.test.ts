import { readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { DeviceRequest } from '../../../helpers/ipc/messages.ts';
import { checkPage, type CheckedPage } from '../../../helpers/scanner/page-check.ts';
import { tiffFile, type TiffShape } from '../../support/fake-scanimage/tiff-file.ts';
import { failure } from '../../support/rejection.ts';
import { REQUEST } from './device-samples.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite<{ directory: TemporaryDirectory; request: DeviceRequest }>('a finished page');

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
  const page_size = { width_mm: 25.4, height_mm: 50.8 };
  context.request = { ...REQUEST, resolution: 100, page_size, directory: context.directory.path };
});
test.after.each(async ({ directory }) => directory.remove());

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
  const page = {
    ...PLACE,
    filename: 'page-0007.tif',
    bytes,
    width_px: 100,
    height_px: 200,
    dpi: 100,
    cropped: false,
  };
  assert.equal(await check(request, {}), { page, failure: undefined, otherSize: undefined });
});

test('with another resolution is kept, and is a failure', async ({ request }) => {
  const { page, failure } = await check(request, { dpi: 150, width: 150, height: 300 });
  assert.is(page.dpi, 150);
  assert.is(failure?.code, 'scanner_error');
  assert.match(failure?.message ?? '', /150 dpi instead of 100 dpi/u);
});

test('may be off by one dot an inch', async ({ request }) => {
  assert.is((await check(request, { dpi: 99 })).failure, undefined);
  assert.is.not((await check(request, { dpi: 98 })).failure, undefined);
});

test('that does not tell its resolution has the one asked for', async ({ request }) => {
  const { page, failure } = await check(request, { dpi: 0 });
  assert.is(page.dpi, 100);
  assert.is(failure, undefined);
});

test('of another size tells which', async ({ request }) => {
  const { otherSize, failure } = await check(request, { height: 220 });
  assert.is(failure, undefined);
  assert.equal(otherSize, { width_mm: 25.4, height_mm: (220 / 100) * 25.4 });
  assert.ok((await check(request, { width: 80 })).otherSize);
});

test('may be off by two millimetres', async ({ request }) => {
  assert.is((await check(request, { width: 107, height: 193 })).otherSize, undefined);
});

test('that is cut off is set aside', async ({ request, directory }) => {
  const { message } = await failure('scanner_error', check(request, {}, 1));
  assert.match(message, 'Page 7');
  assert.match(message, 'page-0007.tif.incomplete');
  assert.equal(await readdir(directory.path), ['page-0007.tif.incomplete']);
});

test('that is cut off by a full disk is removed', async ({ request, directory }) => {
  const { message } = await failure('insufficient_storage', check(request, {}, 1, NOTHING));
  assert.match(message, 'page 7');
  assert.equal(await readdir(directory.path), []);
});

test.run();
