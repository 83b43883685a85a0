import type { Table } from './tables.ts';

/** For a terminal: columns of one width. */
export function toText(table: Table): string {
  const widths = (table[0] ?? []).map((_, column) =>
    Math.max(...table.map((line) => (line[column] ?? '').length)),
  );
  return table
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** As Markdown. */
export function toMarkdown(table: Table): string {
  const [headings = [], ...lines] = table;
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [line(headings), line(headings.map(() => '---')), ...lines.map(line)].join('\n');
}

const BEGIN = '<!-- figures: written by npm run bench -->';
const END = '<!-- end of figures -->';

/** The document with what is between its two marks replaced. Throws where the marks are missing. */
export function withFigures(document: string, figures: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`the marks "${BEGIN}" and "${END}" are missing`);
  return `${document.slice(0, begin)}${BEGIN}\n\n${figures}\n\n${document.slice(end)}`;
}
