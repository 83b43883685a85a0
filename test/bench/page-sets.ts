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
import { DPI, type PageMode, type Workbench } from './workbench.ts';

export interface PageSet {
  readonly mode: PageMode;
  /** Image files in stack order: raw TIFF for line art, paper for the virtual scanner otherwise. */
  readonly files: readonly string[];
  readonly texts: readonly string[];
}

/** In the colour stack, `COLOUR_PAGE` replaces this page. */
const REPLACED_BY_COLOUR = 'minutes';
const COLOUR_PAGE = 'brochure-color';

const SPARSE = Array.from({ length: 5 }, () => ['receipt', 'form']).flat();

/** Slightly yellowish white, as a share per channel. */
const PAPER_TINT = [1, 0.98, 0.93] as const;

/** Sensor noise: the maximum error per channel, of 255. Small errors are likelier. */
const NOISE = 4;

/** Threshold between text and paper, dark enough to keep paper grain white. */
const BLACK_BELOW = 160;

/**
 * The ten pages of a mode, always the same bytes. Gray uses the shipped pages; colour adds tinted
 * paper, sensor noise and a photograph; line art is 1-bit raw TIFF. New files go to `directory`.
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

/** A stack of `count` pages that repeats the ten. Every stack ends with the same page. */
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
    // A linear congruential generator (Numerical Recipes), for the same noise in every run.
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

/** SHA-256 of each file, which shows that all sides got the same pages. */
export async function hashesOf(files: readonly string[]): Promise<string[]> {
  const hashes: string[] = [];
  for (const file of files) hashes.push(hash('sha256', await readFile(file)));
  return hashes;
}

const SCAN_MS = 180_000;

/**
 * Scans a set into `directory` and returns the raw files. Also fills the unpaced scanner's cache,
 * so that later runs do not pay for rendering.
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
