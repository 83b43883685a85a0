import { chmod, mkdir, readdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  checkScanDirectory,
  pageBytes,
  removeUnfinished,
} from '../../../helpers/scanner/output-directory.ts';
import { checkPage, type CheckedPage } from '../../../helpers/scanner/page-check.ts';
import { tiffFile, type TiffShape } from '../../support/fake-scanimage/tiff-file.ts';
import { REQUEST } from './device-samples.ts';
import { assert, failure, inDirectory, withFixture } from '../../support/suite.ts';

const test = withFixture('the scan directory', async (directory) => {
  const scan = path.join(directory, 'scan');
  await mkdir(scan);
  return { scan };
});

const touch = (directory: string, ...names: string[]): Promise<unknown> =>
  Promise.all(names.map((name) => writeFile(path.join(directory, name), 'x')));

test('earlier pages, halves and other files do not matter', async ({ scan }) => {
  const before = ['page-0001.tif', 'page-0002.tif'];
  await touch(scan, ...before, 'page-0003.tif.part', 'page-0003.tif.incomplete', 'scan.json');
  await checkScanDirectory(scan, 3);
});

test('a page that would be overwritten is refused', async ({ scan }) => {
  await touch(scan, 'page-0001.tif', 'page-0004.tif');
  const { message } = await failure('scanner_error', checkScanDirectory(scan, 2));
  assert.match(message, 'page-0004.tif');
});

test('a missing directory is reported with advice', async ({ scan }) => {
  const { message } = await failure('scanner_error', checkScanDirectory(`${scan}/none`, 1));
  assert.match(message, `${scan}/none`);
  assert.match(message, 'same path');
});

test('a file, a link and a relative path are not accepted as a directory', async ({ scan }) => {
  await touch(scan, 'file');
  await symlink(scan, path.join(scan, 'link'));
  await failure('scanner_error', checkScanDirectory(path.join(scan, 'file'), 1));
  await failure('scanner_error', checkScanDirectory(path.join(scan, 'link'), 1));
  await failure('scanner_error', checkScanDirectory('.', 1));
});

test('a directory that cannot be written to is refused', async ({ scan }) => {
  // Root may write everywhere except in a file system that accepts no files.
  const isRoot = process.getuid?.() === 0;
  if (!isRoot) await chmod(scan, 0o500);
  const directory = isRoot ? `/proc/${process.pid}` : scan;
  const { message } = await failure('scanner_error', checkScanDirectory(directory, 1));
  assert.match(message, 'cannot write');
});

test('only halves of pages are removed', async ({ scan }) => {
  const others = ['page-0001.tif', 'page-0003.tif.incomplete', 'x.part'];
  await touch(scan, ...others, 'page-0002.tif.part');
  assert.equal(await removeUnfinished(scan), [2]);
  assert.equal((await readdir(scan)).toSorted(), others);
  assert.equal(await removeUnfinished(`${scan}/none`), []);
});

/**
 * The expected size of an A4 page at 300 dpi: at least what scanimage writes, and not much more.
 */
const BYTES: readonly (readonly [
  mode: string,
  depth: number | string,
  least: number,
  most: number,
])[] = [
  ['Gray', 8, 8_700_062, 8_800_000],
  ['Grayscale', 8, 8_700_062, 8_800_000],
  ['True Grey', 8, 8_700_062, 8_800_000],
  ['Color', 8, 26_099_742, 26_300_000],
  ['24bit', 8, 26_099_742, 26_300_000],
  ['Lineart', 1, 0, 1_120_000],
  ['Halftone', 1, 0, 1_120_000],
  ['Black & White', 1, 0, 1_120_000],
  ['Gray', 16, 17_400_000, 17_600_000],
  ['Color', '16', 52_000_000, 52_600_000],
];
for (const [mode, depth, least, most] of BYTES) {
  test(`a page in ${mode} with ${depth} bits has ${least} to ${most} bytes`, () => {
    const scanner_options = Number(depth) === 16 ? { depth } : {};
    const page_size = { width_mm: 210, height_mm: 297 };
    const bytes = pageBytes({ page_size, resolution: 300, mode, scanner_options });
    assert.ok(bytes >= least && bytes <= most, String(bytes));
  });
}

const pages = inDirectory('a finished page');

const PLENTY = async (): Promise<number> => 1e12;
const NOTHING = async (): Promise<number> => 0;
const PLACE = { number: 7, sheet: 4, side: 'front' } as const;

async function check(
  directory: string,
  shape: TiffShape,
  cut = 0,
  free = PLENTY,
): Promise<CheckedPage> {
  const content = tiffFile({ width: 100, height: 200, dpi: 100, ...shape });
  await writeFile(path.join(directory, 'page-0007.tif'), content.subarray(0, content.length - cut));
  const page_size = { width_mm: 25.4, height_mm: 50.8 };
  return checkPage({ ...REQUEST, resolution: 100, page_size, directory }, PLACE, free);
}

pages('is reported with the facts of its file', async ({ directory }) => {
  const bytes = tiffFile({ width: 100, height: 200 }).length;
  const measured = { bytes, width_px: 100, height_px: 200, dpi: 100, cropped: false };
  const page = { ...PLACE, filename: 'page-0007.tif', ...measured };
  assert.equal(await check(directory, {}), { page, failure: undefined, otherSize: undefined });
});

/** Titles: resolution, whether the page fails the scan, and whether its size is reported. */
const PAGES: Readonly<Record<string, TiffShape>> = {
  'with another resolution → 150 dpi, a failure': { dpi: 150, width: 150, height: 300 },
  'may be off by one dot an inch → 99 dpi': { dpi: 99 },
  'may not be off by two → 98 dpi, a failure': { dpi: 98 },
  'that does not tell its resolution has the one asked for → 100 dpi': { dpi: 0 },
  'that is longer → 100 dpi, and its size': { height: 220 },
  'that is narrower → 100 dpi, and its size': { width: 80 },
  'may be off by two millimetres → 100 dpi': { width: 107, height: 193 },
};
for (const [what, shape] of Object.entries(PAGES)) {
  pages(what, async ({ directory }) => {
    const { page, failure, otherSize } = await check(directory, shape);
    const fails = what.endsWith('a failure');
    assert.ok(what.includes(`→ ${page.dpi} dpi`));
    assert.is(failure?.code, fails ? 'scanner_error' : undefined);
    if (fails) assert.match(failure?.message ?? '', `${page.dpi} dpi instead of 100 dpi`);
    const { width = 100, height = 200 } = shape;
    const size = { width_mm: (width / 100) * 25.4, height_mm: (height / 100) * 25.4 };
    if (!fails) assert.equal(otherSize, what.endsWith('its size') ? size : undefined);
  });
}

pages('that is truncated is set aside', async ({ directory }) => {
  const { message } = await failure('scanner_error', check(directory, {}, 1));
  assert.match(message, 'Page 7');
  assert.match(message, 'page-0007.tif.incomplete');
  assert.equal(await readdir(directory), ['page-0007.tif.incomplete']);
});

pages('that is truncated by a full disk is removed', async ({ directory }) => {
  const { message } = await failure('insufficient_storage', check(directory, {}, 1, NOTHING));
  assert.match(message, 'page 7');
  assert.equal(await readdir(directory), []);
});
