import { readFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { MM_PER_INCH } from '../../helpers/paper.ts';
import {
  PAGES_DIR,
  type PageEntry,
  pageNamed,
  readManifest,
} from '../../simulators/pages/manifest.ts';

/** `sparse` is gray too: pages with little print, which are recognised in half the time. */
export type PageMode = 'gray' | 'colour' | 'lineart' | 'sparse';

/** Resolution of every page of the benchmark. */
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
  const { stacks } = await readManifest();
  const ten = (stacks['ten'] ?? []).map((entry) =>
    typeof entry === 'string' ? entry : entry.front,
  );
  return makePages(mode === 'sparse' ? SPARSE : ten, mode, directory);
}

async function makePages(
  names: readonly string[],
  mode: PageMode,
  directory: string,
): Promise<PageSet> {
  const manifest = await readManifest();
  const entries = names.map((name) =>
    pageNamed(manifest, mode === 'colour' && name === REPLACED_BY_COLOUR ? COLOUR_PAGE : name),
  );
  const files: string[] = [];
  const texts: string[] = [];
  for (const entry of entries) {
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
  if (mode === 'lineart') {
    const file = path.join(directory, `${entry.name}.tif`);
    const perMm = DPI / MM_PER_INCH;
    const resolution = { xres: perMm, yres: perMm, resolutionUnit: 'inch' } as const;
    await sharp(source)
      .toColourspace('b-w')
      .threshold(BLACK_BELOW)
      .tiff({ compression: 'none', bitdepth: 1, ...resolution })
      .toFile(file);
    return file;
  }
  const { data, info } = await sharp(source)
    .toColourspace('b-w')
    .raw()
    .toBuffer({ resolveWithObject: true });
  const { width, height } = info;
  const file = path.join(directory, `${entry.name}.png`);
  await sharp(tinted(data), { raw: { width, height, channels: 3 } })
    .withDensity(DPI)
    .png({ compressionLevel: 1 })
    .toFile(file);
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
