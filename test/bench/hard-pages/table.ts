import { scoreReading, type HardPage, type ReadingScore } from '../../support/hard-pages.ts';
import { toMarkdown } from '../tables.ts';
import { SIDES, type Readers, type Side } from './readers.ts';

/** A page, and how well each side read it. */
export interface Row {
  readonly name: string;
  readonly scores: Readonly<Partial<Record<Side, ReadingScore>>>;
}

/** Has every side read every page, one after the other. */
export async function readAll(
  pages: readonly HardPage[],
  sides: readonly Side[],
  readers: Readers,
): Promise<Row[]> {
  const rows: Row[] = [];
  for (const page of pages) {
    const scores: Partial<Record<Side, ReadingScore>> = {};
    for (const side of sides) {
      const text = await readers.read(side, page);
      scores[side] = scoreReading(page.text, text);
    }
    rows.push({ name: page.name, scores });
  }
  return rows;
}

/** A Markdown table: words found in percent / words invented, then the mean and the sum. */
export function tableOf(rows: readonly Row[]): string {
  const sides = Object.keys(rows[0]?.scores ?? {}) as Side[];
  const mean = (side: Side): string => {
    const scores = rows.flatMap(({ scores: { [side]: score } }) => score ?? []);
    const found = scores.reduce((sum, score) => sum + score.found, 0) / scores.length;
    const invented = scores.reduce((sum, score) => sum + score.invented, 0);
    return shown({ found, invented });
  };
  return toMarkdown([
    ['page', ...sides.map((side) => SIDES[side])],
    ...rows.map(({ name, scores }) => [name, ...sides.map((side) => shown(scores[side]))]),
    [`**${rows.length} pages**`, ...sides.map(mean)],
  ]);
}

function shown(score: ReadingScore | undefined): string {
  return score === undefined ? '–' : `${(score.found * 100).toFixed(1)} / ${score.invented}`;
}
