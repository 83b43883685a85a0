import { hash } from 'node:crypto';
import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import {
  PAGES_DIR,
  pageNamed,
  readManifest,
  type PageEntry,
} from '../../simulators/pages/manifest.ts';
import { archiveLevelOf, factsOf, imagesOf } from '../helpers/processor/support/inspect-pdf.ts';
import { scanned } from '../helpers/processor/support/page-samples.ts';
import { textOfPdf } from '../support/pages.ts';
import { outputOf } from '../support/programs.ts';
import type { Workbench } from './workbench.ts';

/** `sparse` is gray too: pages with little print, which are recognised in half the time. */
export type PageMode = 'gray' | 'colour' | 'lineart' | 'sparse';

export const DPI = 300;

/** A stack of paper with what is printed on it. */
export interface PageSet {
  readonly mode: PageMode;
  /** Image files in the order of the stack: for the virtual scanner, or raw TIFF for line art. */
  readonly files: readonly string[];
  /** The words on each page. */
  readonly texts: readonly string[];
}

/** The page of the stack that the colour stack has a real colour page instead of. */
const REPLACED_BY_COLOUR = 'minutes';
const COLOUR_PAGE = 'brochure-color';

/** A receipt and a form, five times. */
const SPARSE = Array.from({ length: 5 }, () => ['receipt', 'form']).flat();

/** Paper of a slightly yellow white, as a share of each channel. */
const PAPER_TINT = [1, 0.98, 0.93] as const;

/** Noise of a scanner's sensor: each channel of each pixel is off by up to this many of 255, small errors being likelier. */
const NOISE = 4;

/** Where text and paper part: dark enough that the grain of the paper stays white. */
const BLACK_BELOW = 160;

/**
 * Makes the ten pages of a mode, in `directory` where they are not the shipped ones: gray pages as they are, for colour
 * the same ones on tinted paper with the noise that colour scans have and one page with a photograph, for line art the
 * gray ones turned into raw one-bit TIFF. Always the same bytes.
 */
export async function makeTenPages(mode: PageMode, directory: string): Promise<PageSet> {
  const manifest = await readManifest();
  const ten = (manifest.stacks['ten'] ?? []).map((entry) =>
    typeof entry === 'string' ? entry : entry.front,
  );
  const files: string[] = [];
  const texts: string[] = [];
  for (const name of mode === 'sparse' ? SPARSE : ten) {
    const isReplaced = mode === 'colour' && name === REPLACED_BY_COLOUR;
    const entry = pageNamed(manifest, isReplaced ? COLOUR_PAGE : name);
    files.push(await makePage(entry, mode, directory));
    texts.push(await readFile(path.join(PAGES_DIR, entry.text), 'utf8'));
  }
  return { mode, files, texts };
}

/** A stack of `count` pages out of ten: the last one alone, or the ten again and again, so that the last page is the same. */
export function stackOfPages(ten: PageSet, count: number): PageSet {
  const start = (ten.files.length - (count % ten.files.length)) % ten.files.length;
  const pick = <T>(list: readonly T[]): T[] =>
    Array.from({ length: count }, (_, index) => list[(start + index) % list.length]).filter(
      (item) => item !== undefined,
    );
  const { mode, files, texts } = ten;
  return { mode, files: pick(files), texts: pick(texts) };
}

async function makePage(entry: PageEntry, mode: PageMode, directory: string): Promise<string> {
  const source = path.join(PAGES_DIR, entry.file);
  if (mode === 'gray' || mode === 'sparse' || entry.mode === 'color') return source;
  const gray = sharp(source).toColourspace('b-w');
  if (mode === 'lineart') {
    const page = gray.threshold(BLACK_BELOW);
    return (await scanned(path.join(directory, `${entry.name}.tif`), page, { mode: 'bits' })).file;
  }
  const { data, info } = await gray.raw().toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const file = path.join(directory, `${entry.name}.png`);
  const page = sharp(tinted(data), { raw: { width, height, channels: 3 } }).withDensity(DPI);
  await page.png({ compressionLevel: 1 }).toFile(file);
  return file;
}

function tinted(gray: Uint8Array): Uint8Array {
  const colour = new Uint8Array(gray.length * 3);
  let seed = 1;
  for (let at = 0; at < colour.length; at += 1) {
    // A linear congruential generator (Numerical Recipes): the same noise in every run.
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0;
    const noise = (((seed >>> 24) + ((seed >>> 16) & 255)) / 255 - 1) * NOISE;
    const value = (gray[Math.floor(at / 3)] ?? 0) * (PAPER_TINT[at % 3] ?? 1) + noise;
    colour[at] = Math.max(0, Math.min(255, Math.round(value)));
  }
  return colour;
}

export async function rawPagesIn(directory: string): Promise<string[]> {
  const names = (await readdir(directory)).filter((name) => /^page-\d{4}\.tif$/.test(name));
  return names.toSorted().map((name) => path.join(directory, name));
}

/** SHA-256 of each file: two sides that were given the same pages have the same ones. */
export async function hashesOf(files: readonly string[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const file of files) hashes.push(hash('sha256', await readFile(file)));
  return hashes;
}

/** Ten pages as fast as they come, on a slow machine. */
const SCAN_MS = 180_000;

/**
 * Scans the pages of a set as scanimage does it for every side, into `directory`, and gives the raw files. The scanner
 * without a pace has them ready from then on, so that making them costs no later run anything.
 */
export async function scanRawPages(
  bench: Workbench,
  set: PageSet,
  directory: string,
): Promise<string[]> {
  bench.scanners.unpaced.load(set.files);
  const a4 = ['-x', '210', '-y', '297'];
  const args = [
    `--device-name=${bench.deviceName('unpaced')}`,
    '--source=ADF',
    `--mode=${set.mode === 'colour' ? 'Color' : 'Gray'}`,
    `--resolution=${DPI}`,
    ...a4,
    '--format=tiff',
    `--batch=${path.join(directory, 'page-%04d.tif')}`,
  ];
  const env = { SANE_CONFIG_DIR: bench.saneConfig };
  await outputOf('scanimage', args, { cwd: directory, env, timeoutMs: SCAN_MS });
  const files = await rawPagesIn(directory);
  if (files.length === set.files.length) return files;
  throw new Error(`scanimage gave ${files.length} pages`);
}

interface PdfFacts {
  readonly texts: readonly string[];
  /** Width × height in pixels of the largest image on each page. */
  readonly imageSizes: readonly string[];
  readonly pdfA: boolean;
}

/** What poppler-utils sees in a document. */
export async function readPdf(file: string): Promise<PdfFacts> {
  const pages = Number((await factsOf(file))['Pages']);
  const images = (await imagesOf(file)).toSorted(
    (one, other) => other.width * other.height - one.width * one.height,
  );
  const largest = Array.from({ length: pages }, (_, index) =>
    images.find(({ page }) => page === index + 1),
  );
  return {
    texts: (await textOfPdf(file)).slice(0, pages),
    imageSizes: largest.map((image) => `${image?.width ?? 0}×${image?.height ?? 0}`),
    pdfA: (await archiveLevelOf(file)) !== undefined,
  };
}
