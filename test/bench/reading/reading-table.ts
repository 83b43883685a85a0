import { rm } from 'node:fs/promises';
import { scoreReading, type ReadingScore } from '../../support/pages.ts';
import { shownAmounts, sumOfAmounts, type Readers, type Side } from '../hard-pages/readers.ts';
import { toMarkdown } from '../report.ts';
import { sum } from '../statistics.ts';
import type { KindOfPage } from './page-kinds.ts';

interface Figures {
  readonly score: ReadingScore;
  readonly cpuSeconds: number;
  readonly bytes?: number | undefined;
}

export interface PageFigures {
  readonly kind: string;
  readonly name: string;
  readonly sides: Readonly<Partial<Record<Side, Figures>>>;
}

/** Reads a page with each side, and removes its files. */
export async function measurePage(
  page: KindOfPage,
  sides: readonly Side[],
  readers: Readers,
): Promise<PageFigures> {
  const figures: Partial<Record<Side, Figures>> = {};
  for (const side of sides) {
    const { text, ...cost } = await readers.read(side, page);
    figures[side] = { score: scoreReading(page.text, text, page.leastCharacters), ...cost };
  }
  for (const file of [page.tiff, `${page.tiff}.pdf`, `${page.tiff}-work`]) {
    await rm(file, { recursive: true, force: true });
  }
  return { kind: page.kind, name: page.name, sides: figures };
}

const TITLES = { ours: 'ours', tesseract: 'Tesseract alone', ocrmypdf: 'OCRmyPDF' } as const;
const SIDES = ['ours', 'tesseract', 'ocrmypdf'] as const;

/**
 * A Markdown table with a row per kind of page. Words are the share of all words of a kind, so
 * dense pages count for more.
 */
export function readingTable(pages: readonly PageFigures[]): string {
  const kinds = [...new Set(pages.map(({ kind }) => kind))];
  return toMarkdown([
    [
      'kind',
      'pages',
      ...SIDES.flatMap((side) => [
        `${TITLES[side]}: words found, % / invented`,
        'amounts',
        'CPU s',
        ...(side === 'tesseract' ? ['CPU of ours'] : ['kB']),
      ]),
    ],
    ...kinds.map((kind) => {
      const some = pages.filter((page) => page.kind === kind);
      return [kind, String(some.length), ...SIDES.flatMap((side) => cellsOf(some, side))];
    }),
  ]);
}

export function pageLine({ kind, name, sides }: PageFigures): string {
  const cells = SIDES.flatMap((side) => {
    const { [side]: figures } = sides;
    return figures === undefined ? [] : [TITLES[side], ...shown([figures])];
  });
  return [kind, name, ...cells].join(' | ');
}

function cellsOf(pages: readonly PageFigures[], side: Side): string[] {
  const figures = figuresOf(pages, side);
  if (figures.length === 0) return ['–', '–', '–', '–'];
  const ratio = cpuOf(figuresOf(pages, 'ours')) / cpuOf(figures);
  const kilobytes = sum(figures.map(({ bytes = 0 }) => bytes)) / 1000;
  const last = side === 'tesseract' ? `× ${ratio.toFixed(2)}` : kilobytes.toFixed(0);
  return [...shown(figures), last];
}

function figuresOf(pages: readonly PageFigures[], side: Side): Figures[] {
  return pages.flatMap(({ sides: { [side]: figures } }) => figures ?? []);
}

const cpuOf = (figures: readonly Figures[]): number =>
  sum(figures.map(({ cpuSeconds }) => cpuSeconds));

function shown(figures: readonly Figures[]): string[] {
  const scores = figures.map(({ score }) => score);
  const found = sum(scores.map((score) => score.found * score.words));
  const words = sum(scores.map((score) => score.words));
  const invented = sum(scores.map((score) => score.invented));
  return [
    `${((100 * found) / words).toFixed(1)} (${found.toFixed(0)} of ${words}) / ${invented}`,
    shownAmounts(sumOfAmounts(scores)),
    cpuOf(figures).toFixed(1),
  ];
}

/**
 * Pages that are read worse than in an earlier run, by words missing and words invented, beyond
 * chance: by more than twice the standard error of the differences between equal pages.
 */
export function worseThan(earlier: readonly PageFigures[], now: readonly PageFigures[]): string {
  const known = new Map(earlier.map((page) => [`${page.kind} ${page.name}`, page]));
  const differences = new Map<string, number[]>();
  for (const page of now) {
    const before = known.get(`${page.kind} ${page.name}`)?.sides.ours;
    const after = page.sides.ours;
    if (!before || !after) continue;
    const difference = errorsOf(after) - errorsOf(before);
    differences.set(page.name, [...(differences.get(page.name) ?? []), difference]);
  }
  const rows = [...differences].flatMap(([name, all]) => {
    const mean = sum(all) / all.length;
    const variance = sum(all.map((one) => (one - mean) ** 2)) / Math.max(1, all.length - 1);
    const isWorse = mean > 2 * Math.sqrt(variance / all.length) && mean > 0;
    return isWorse
      ? [[name, String(all.length), mean.toFixed(1), all.map(Math.round).join(' ')]]
      : [];
  });
  return toMarkdown([['worse', 'pages', 'errors more, mean', 'each'], ...rows]);
}

/** Words missing and words invented. */
const errorsOf = ({ score }: Figures): number =>
  Math.round((1 - score.found) * score.words) + score.invented;
