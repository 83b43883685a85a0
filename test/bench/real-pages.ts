import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { renderPage } from '../../simulators/virtual-scanner/page-images.ts';
import { GLASS_AREA, type ScanSettings } from '../../simulators/virtual-scanner/scan-settings.ts';
import { scoreReading, textOfPdf, type ReadingScore } from '../support/pages.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { openReaders, shownAmounts, sumOfAmounts } from './hard-pages/readers.ts';
import { watchTree } from './machine.ts';
import { toMarkdown } from './report.ts';
import { sum } from './statistics.ts';

/** Page images. The printed text is in a text file of the same name. */
const IMAGE = /\.(?:png|jpe?g|tiff?)$/i;
/** The kind of a page: `receipt` for receipt-12.png. */
const KIND = /^\p{L}+/u;
const LEAST_CHARACTERS = 2;

const DPI = 300;
const SCAN: ScanSettings = {
  source: 'Flatbed',
  mode: 'Gray',
  resolution: DPI,
  region: { x: 0, y: 0, ...GLASS_AREA },
  format: 'image/png',
};

interface Side {
  readonly score: ReadingScore;
  readonly cpuSeconds: number;
}

interface ReadPage {
  readonly kind: string;
  readonly ours: Side;
  readonly alone: Side;
  readonly bytes: number;
}

/**
 * Reads real pages with this processor and with Tesseract alone, as gray A4 scans of 300 dpi.
 * Reports each page and returns a table by kind of page.
 */
export async function readRealPages(
  directory: string,
  report: (line: string) => void,
): Promise<string> {
  const temporary = await temporaryDirectory();
  const readers = await openReaders(temporary.path);
  try {
    const pages: ReadPage[] = [];
    for (const file of (await readdir(directory)).filter((name) => IMAGE.test(name)).toSorted()) {
      const { name } = path.parse(file);
      const printed = await readFile(path.join(directory, `${name}.txt`), 'utf8');
      const tiff = path.join(temporary.path, `${name}.tif`);
      await scanTo(tiff, path.join(directory, file));
      const page = { name, tiff, language: 'eng' };
      const scored = async (read: () => Promise<string>): Promise<Side> => {
        const watch = watchTree({ bench: process.pid });
        const text = await read();
        const { cpuSeconds } = watch.stop();
        return { score: scoreReading(printed, text, LEAST_CHARACTERS), cpuSeconds };
      };
      const alone = await scored(() => readers.read('tesseract', page));
      let pdf = '';
      const ours = await scored(async () => {
        pdf = (await readers.process(page)).pdf ?? '';
        return (await textOfPdf(pdf)).join('\n');
      });
      const { size: bytes } = await stat(pdf);
      const kind = KIND.exec(name)?.[0] ?? name;
      pages.push({ kind, ours, alone, bytes });
      report([name, ...shown([ours]), 'Tesseract alone', ...shown([alone])].join(' | '));
    }
    return tableOf(pages);
  } finally {
    await readers.close();
    await temporary.remove();
  }
}

async function scanTo(tiff: string, image: string): Promise<void> {
  const perMm = DPI / 25.4;
  await sharp(await renderPage(image, SCAN))
    .toColourspace('b-w')
    .tiff({ compression: 'none', xres: perMm, yres: perMm, resolutionUnit: 'inch' })
    .toFile(tiff);
}

function tableOf(pages: readonly ReadPage[]): string {
  const kinds = [...new Set(pages.map(({ kind }) => kind))];
  const rowOf = (title: string, some: readonly ReadPage[]): string[] => {
    const [ours, alone] = [some.map((page) => page.ours), some.map((page) => page.alone)];
    const kilobytes = sum(some.map(({ bytes }) => bytes)) / 1000;
    const ratio = cpuOf(ours) / cpuOf(alone);
    const sides = [...shown(ours), ...shown(alone)];
    return [title, String(some.length), ...sides, ratio.toFixed(2), kilobytes.toFixed(0)];
  };
  const columns = ['words found, % / invented', 'amounts', 'CPU s'];
  return toMarkdown([
    [
      'kind',
      'pages',
      ...columns,
      ...columns.map((column) => `Tesseract alone: ${column}`),
      'CPU ratio',
      'kB',
    ],
    ...kinds.map((kind) =>
      rowOf(
        kind,
        pages.filter((page) => page.kind === kind),
      ),
    ),
    rowOf('**all**', pages),
  ]);
}

const cpuOf = (sides: readonly Side[]): number => sum(sides.map(({ cpuSeconds }) => cpuSeconds));

function shown(sides: readonly Side[]): string[] {
  const scores = sides.map(({ score }) => score);
  const found = sum(scores.map((score) => score.found * score.words));
  const words = sum(scores.map((score) => score.words));
  const invented = sum(scores.map((score) => score.invented));
  return [
    `${((100 * found) / words).toFixed(1)} (${found.toFixed(0)} of ${words}) / ${invented}`,
    shownAmounts(sumOfAmounts(scores)),
    cpuOf(sides).toFixed(1),
  ];
}
