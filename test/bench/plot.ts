import type { Row } from './rows.ts';

/** In units of the drawing. */
const SIZES = { width: 910, left: 300, right: 90, bar: 16, gap: 6, title: 44, margin: 16 } as const;

/** Told apart by people who do not see red and green too (Okabe and Ito). */
const COLOURS: Readonly<Record<string, string>> = {
  ours: '#0072b2',
  naive: '#d55e00',
  tesseract: '#999999',
};

interface Bar {
  readonly label: string;
  readonly value: number;
  readonly side: string;
}

/** Two bar charts in one SVG: what a person waits for after the last sheet, and what a page costs. No script, no fonts. */
export function plotOf(rows: readonly Row[]): string {
  const shown = rows.filter(({ variant }) => variant === 'plain' || variant === 'processor alone');
  const waits = shown.flatMap((row) => barOf(row, row.after_last_s));
  const costs = shown
    .filter(({ side, pace }) => side !== 'ours' || pace === 'unpaced')
    .flatMap((row) => barOf(row, row.cpu_s_per_page));
  const first = chart('Seconds from the last sheet to the answer', waits, SIZES.margin);
  const second = chart('CPU-seconds a page, of all processes', costs, first.bottom + SIZES.margin);
  const height = second.bottom + SIZES.margin;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZES.width} ${height}" width="${SIZES.width}" height="${height}" font-family="sans-serif" font-size="12">`,
    `<rect width="${SIZES.width}" height="${height}" fill="#ffffff"/>`,
    ...first.lines,
    ...second.lines,
    '</svg>',
    '',
  ].join('\n');
}

function barOf(row: Row, value: number | null): Bar[] {
  if (value === null) return [];
  const pace = row.side === 'tesseract' && row.pace === null ? '' : `, ${row.pace ?? 'no scanner'}`;
  const speed = typeof row.pace === 'number' ? ' a minute' : '';
  const name = row.side === 'tesseract' ? 'Tesseract alone' : row.side;
  const pages = row.pages === 1 ? '1 page' : `${row.pages} pages`;
  return [{ label: `${row.mode}, ${pages}: ${name}${pace}${speed}`, value, side: row.side }];
}

function chart(
  title: string,
  bars: readonly Bar[],
  top: number,
): { readonly lines: readonly string[]; readonly bottom: number } {
  const room = SIZES.width - SIZES.left - SIZES.right;
  const most = Math.max(...bars.map(({ value }) => value), Number.EPSILON);
  const step = SIZES.bar + SIZES.gap;
  const start = top + SIZES.title;
  const lines = bars.flatMap(({ label, value, side }, index) => {
    const y = start + index * step;
    const width = Math.max(1, (value / most) * room).toFixed(1);
    const baseline = y + SIZES.bar - 4;
    const digits = value < 10 ? 2 : 1;
    return [
      `<text x="${SIZES.left - 8}" y="${baseline}" text-anchor="end">${label}</text>`,
      `<rect x="${SIZES.left}" y="${y}" width="${width}" height="${SIZES.bar}" fill="${COLOURS[side] ?? ''}"/>`,
      `<text x="${SIZES.left + Number(width) + 6}" y="${baseline}">${value.toFixed(digits)}</text>`,
    ];
  });
  const heading = `<text x="${SIZES.margin}" y="${top + 20}" font-size="16" font-weight="bold">${title}</text>`;
  return { lines: [heading, ...lines], bottom: start + bars.length * step };
}
