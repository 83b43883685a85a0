import { scoreReading, type HardPage, type ReadingScore } from '../../support/hard-pages.ts';
import type { Readers, Side } from './readers.ts';

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
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  const mean = (side: Side): string => {
    const scores = rows.flatMap(({ scores: { [side]: score } }) => score ?? []);
    const found = scores.reduce((sum, score) => sum + score.found, 0) / scores.length;
    const invented = scores.reduce((sum, score) => sum + score.invented, 0);
    return shown({ found, invented });
  };
  return [
    line(['page', ...sides]),
    line(['---', ...sides.map(() => '---')]),
    ...rows.map(({ name, scores }) => line([name, ...sides.map((side) => shown(scores[side]))])),
    line([`**${rows.length} pages**`, ...sides.map(mean)]),
  ].join('\n');
}

function shown(score: ReadingScore | undefined): string {
  return score === undefined ? '–' : `${(score.found * 100).toFixed(1)} / ${score.invented}`;
}
