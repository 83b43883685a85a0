import { mkdir, readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { renderPage } from '../../../simulators/virtual-scanner/page-images.ts';
import {
  GLASS_AREA,
  type ScanSettings,
} from '../../../simulators/virtual-scanner/scan-settings.ts';
import { scanned } from '../../helpers/processor/support/page-samples.ts';
import { makeHardPages, type HardPage } from '../../support/hard-pages.ts';
import { shippedPage } from '../../support/pages.ts';
import { makeTenPages } from '../page-sets.ts';
import { DPI } from '../workbench.ts';

/** A scanned page, its text and its kind, a row of the table. */
export interface KindOfPage extends HardPage {
  readonly kind: string;
  /** Shorter words do not count. */
  readonly leastCharacters: number;
}

/** Page images. The printed text is in a text file of the same name. */
const IMAGE = /\.(?:png|jpe?g|tiff?)$/i;
/** The kind of a real page: `receipt` for receipt-12.png. */
const KIND = /^\p{L}+/u;
/** On real pages, single characters are mostly specks and parts of drawings. */
const REAL_CHARACTERS = 2;

/** Real pages in a directory, scanned as gray A4. */
export async function realPages(images: string, directory: string): Promise<KindOfPage[]> {
  const pages: KindOfPage[] = [];
  for (const file of (await readdir(images)).filter((name) => IMAGE.test(name)).toSorted()) {
    const { name } = path.parse(file);
    pages.push({
      kind: `real: ${KIND.exec(name)?.[0] ?? name}`,
      name,
      language: 'eng',
      text: await readFile(path.join(images, `${name}.txt`), 'utf8'),
      tiff: await scan(path.join(images, file), path.join(directory, `${name}.tif`), 'Gray'),
      leastCharacters: REAL_CHARACTERS,
    });
  }
  return pages;
}

/** The ten letters and articles of the benchmark, in each mode, and small print. */
export async function ordinaryPages(directory: string): Promise<KindOfPage[]> {
  const pages: KindOfPage[] = [];
  for (const mode of ['gray', 'colour', 'lineart'] as const) {
    const own = path.join(directory, mode);
    await mkdir(own);
    const { files, texts } = await makeTenPages(mode, own);
    for (const [index, file] of files.entries()) {
      const name = `${mode}-${path.parse(file).name}`;
      const scanMode = mode === 'colour' ? 'Color' : 'Gray';
      const tiff =
        mode === 'lineart' ? file : await scan(file, path.join(own, `${name}.tif`), scanMode);
      pages.push(printed(`ten letters, ${mode}`, { name, tiff, text: texts[index] ?? '' }));
    }
  }
  const { file, text } = shippedPage('small-print');
  const tiff = await scan(file, path.join(directory, 'small-print.tif'), 'Gray');
  return [...pages, printed('small print', { name: 'small-print', tiff, text })];
}

/** Generated pages that are hard to read. Letters in other languages are a kind of their own. */
export async function hardPages(directory: string, seed: number): Promise<KindOfPage[]> {
  const own = path.join(directory, `seed-${seed}`);
  await mkdir(own);
  const pages = await makeHardPages(own, ['all'], seed);
  return pages.map((page) => ({ ...page, kind: hardKind(page, seed), leastCharacters: 1 }));
}

function hardKind({ language }: HardPage, seed: number): string {
  if (seed > 0) return `hard, seed ${seed}`;
  return language === 'eng' ? 'hard' : 'hard: other languages';
}

function printed(kind: string, page: Omit<HardPage, 'language'>): KindOfPage {
  return { ...page, kind, language: 'eng', leastCharacters: 1 };
}

async function scan(image: string, tiff: string, mode: 'Gray' | 'Color'): Promise<string> {
  const settings: ScanSettings = {
    source: 'Flatbed',
    mode,
    resolution: DPI,
    region: { x: 0, y: 0, ...GLASS_AREA },
    format: 'image/png',
  };
  const page = sharp(await renderPage(image, settings));
  return (await scanned(tiff, page, { mode: mode === 'Gray' ? 'gray' : 'colour' })).file;
}
