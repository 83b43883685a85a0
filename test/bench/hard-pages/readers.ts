import { mkdir, readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { createCodeReader } from '../../../helpers/processor/codes/code-reader.ts';
import {
  recognizePage,
  type RecognizedPage,
} from '../../../helpers/processor/page/recognize-page.ts';
import { keptToolbox } from '../../helpers/processor/support/job-context.ts';
import { pageWork } from '../../helpers/processor/support/page-samples.ts';
import type { HardPage } from '../../support/hard-pages.ts';
import {
  scoreReading,
  textOfPdf,
  type AmountScore,
  type ReadingScore,
} from '../../support/pages.ts';
import { outputOf } from '../../support/programs.ts';
import { watchTree } from '../machine.ts';
import { toMarkdown } from '../report.ts';
import { sum } from '../statistics.ts';

/**
 * The sides of the comparison, as named in tables: this processor, OCRmyPDF with its usual options,
 * and Tesseract on the raw page.
 */
export const SIDES = {
  ours: 'ours',
  ocrmypdf: 'OCRmyPDF --rotate-pages --deskew',
  tesseract: 'Tesseract alone',
} as const;
export type Side = keyof typeof SIDES;

type ScannedPage = Omit<HardPage, 'text'>;

export interface PageReading {
  readonly text: string;
  /** Without reading the text back from a PDF. */
  readonly cpuSeconds: number;
  /** Size of the PDF. Undefined for Tesseract alone. */
  readonly bytes: number | undefined;
}

/** Time limit per page. On a busy machine, OCRmyPDF takes half a minute. */
const TIMEOUT_MS = 5 * 60_000;

export interface Readers {
  read(side: Side, page: ScannedPage): Promise<PageReading>;
  process(page: ScannedPage): Promise<RecognizedPage>;
  close(): Promise<void>;
}

/** Writes PDFs and work files next to the pages. */
export async function openReaders(): Promise<Readers> {
  const toolbox = await keptToolbox();
  const codes = createCodeReader();

  const recognize = async ({ tiff, language }: ScannedPage): Promise<RecognizedPage> => {
    const own = `${tiff}-work`;
    await mkdir(own);
    const { job, parts } = pageWork(own, tiff, {
      toolbox,
      options: { languages: [language], rotate_pages: true },
    });
    return recognizePage(job, { ...parts, codes });
  };
  const sides: Readonly<Record<Side, (page: ScannedPage) => Promise<Output>>> = {
    ours: async (page) => ({ pdf: (await recognize(page)).pdf }),
    ocrmypdf: async ({ tiff, language }) => {
      const options = ['--rotate-pages', '--deskew', '-j1', '--image-dpi', '300', '-l', language];
      const pdf = `${tiff}.pdf`;
      await runOcr('ocrmypdf', [...options, tiff, pdf]);
      return { pdf };
    },
    tesseract: async ({ tiff, language }) => ({
      text: await runOcr('tesseract', [tiff, '-', '-l', language, '--psm', '3']),
    }),
  };
  return {
    read: async (side, page) => {
      const watch = watchTree({ bench: process.pid });
      const output = await sides[side](page);
      const { cpuSeconds } = watch.stop();
      if ('text' in output) return { text: output.text, cpuSeconds, bytes: undefined };
      const { pdf } = output;
      if (pdf === null) return { text: '', cpuSeconds, bytes: 0 };
      const text = (await textOfPdf(pdf)).join('\n');
      return { text, cpuSeconds, bytes: (await stat(pdf)).size };
    },
    process: recognize,
    close: async () => void (await Promise.all([toolbox.close(), codes.close()])),
  };
}

type Output = { readonly pdf: string | null } | { readonly text: string };

/** Limits Tesseract to one thread. */
export function runOcr(file: string, args: readonly string[]): Promise<string> {
  return outputOf(file, args, { env: { OMP_THREAD_LIMIT: '1' }, timeoutMs: TIMEOUT_MS });
}

/** The words found on a page, and their mean confidence in percent, weighted by length. */
interface Certainty {
  readonly words: number;
  readonly confidence: number;
}

const PER_MM = 300 / 25.4;

/**
 * Reads scans whose text is unknown. Returns a Markdown table of the words that this processor and
 * Tesseract alone found, with their confidence. The last row holds totals.
 */
export async function realScans(
  scans: string,
  directory: string,
  readers: Readers,
): Promise<string> {
  const rows: (readonly [string, Certainty, Certainty])[] = [];
  for (const name of (await readdir(scans)).toSorted()) {
    const tiff = path.join(directory, `${name}.tif`);
    await sharp(path.join(scans, name))
      .tiff({ compression: 'none', xres: PER_MM, yres: PER_MM, resolutionUnit: 'inch' })
      .toFile(tiff);
    const page = { name, tiff, language: 'eng' };
    const { facts } = await readers.process(page);
    const ours = { words: facts.words, confidence: facts.confidence ?? 0 };
    rows.push([name, ours, await tesseractAlone(page)]);
  }
  const total = (side: 1 | 2): string =>
    rows.reduce((all, row) => all + (row[side].words * row[side].confidence) / 100, 0).toFixed(0);
  return toMarkdown([
    ['scan', 'ours: words / confidence', 'Tesseract alone'],
    ...rows.map(([name, ours, alone]) => [name, certaintyShown(ours), certaintyShown(alone)]),
    [`**${rows.length} scans, words × confidence**`, total(1), total(2)],
  ]);
}

async function tesseractAlone({ tiff, language }: ScannedPage): Promise<Certainty> {
  const table = await runOcr('tesseract', [tiff, '-', '-l', language, '--psm', '3', 'tsv']);
  // The last columns are the text and its confidence, which is -1 for rows that are not words.
  const words = table.split('\n').flatMap((line) => {
    const [confidence, text = ''] = line.split('\t').slice(-2);
    const isWord = Number(confidence) >= 0 && text.trim() !== '';
    return isWord ? { confidence: Number(confidence), length: text.length } : [];
  });
  const length = words.reduce((all, word) => all + word.length, 0);
  const weighted = words.reduce((all, word) => all + word.confidence * word.length, 0);
  return { words: words.length, confidence: length === 0 ? 0 : weighted / length };
}

function certaintyShown({ words, confidence }: Certainty): string {
  return `${words} / ${confidence.toFixed(1)}`;
}

interface Row {
  readonly name: string;
  readonly scores: Readonly<Partial<Record<Side, ReadingScore>>>;
}

export async function readAll(
  pages: readonly HardPage[],
  sides: readonly Side[],
  readers: Readers,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const page of pages) {
    const scores: Partial<Record<Side, ReadingScore>> = {};
    for (const side of sides) {
      const { text } = await readers.read(side, page);
      scores[side] = scoreReading(page.text, text);
    }
    rows.push({ name: page.name, scores });
  }
  return rows;
}

/**
 * A Markdown table of words found in percent / words invented, with amounts if some are printed.
 * Means and sums are at the end.
 */
export function tableOf(rows: readonly Row[]): string {
  const sides = Object.keys(rows[0]?.scores ?? {}) as Side[];
  const mean = (side: Side): string => {
    const scores = rows.flatMap(({ scores: { [side]: score } }) => score ?? []);
    const found = scores.reduce((sum, score) => sum + score.found, 0) / scores.length;
    const invented = sum(scores.map((score) => score.invented));
    return shown({ found, invented, amounts: sumOfAmounts(scores) });
  };
  return toMarkdown([
    ['page', ...sides.map((side) => SIDES[side])],
    ...rows.map(({ name, scores }) => [name, ...sides.map((side) => shown(scores[side]))]),
    [`**${rows.length} pages**`, ...sides.map(mean)],
  ]);
}

export function sumOfAmounts(scores: readonly Pick<ReadingScore, 'amounts'>[]): AmountScore {
  const total = (of: keyof AmountScore): number => sum(scores.map(({ amounts }) => amounts[of]));
  return { printed: total('printed'), found: total('found'), invented: total('invented') };
}

function shown(score: Omit<ReadingScore, 'words'> | undefined): string {
  if (score === undefined) return '–';
  const { found, invented, amounts } = score;
  const words = `${(found * 100).toFixed(1)} / ${invented}`;
  return amounts.printed === 0 ? words : `${words}, ${shownAmounts(amounts)}`;
}

/** Reads `9 of 12`, or `9 of 12 + 1` if one more was invented. */
export function shownAmounts({ printed, found, invented }: AmountScore): string {
  return `${found} of ${printed}${invented === 0 ? '' : ` + ${invented}`}`;
}
