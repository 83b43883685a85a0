import type { Box, Drawing, TextLine } from './pdf.ts';
import type { Symbols } from './symbols.ts';

/** In mm. */
export interface Paper {
  readonly width: number;
  readonly height: number;
}

export const PAPERS = {
  a4: { width: 210, height: 297 },
  letter: { width: 215.9, height: 279.4 },
} as const;

/** Patch T from the edge inwards, in mm: bars of 0.08 and 0.2 inch, spaces of 0.08 inch. */
const PATCH_BARS = [2.032, 5.08, 2.032, 5.08];
const PATCH_SPACE = 2.032;
/** In mm. The standard requires 2 inches. */
const PATCH_LENGTH = 110;
/** In mm from the edge. Printers leave up to 6 mm blank. */
const PATCH_MARGIN = 8;

const CODE39_WIDTH = 100;
const CODE39_HEIGHT = 16;
const QR_SIZE = 42;

/** Recognized as a separator by this service, Paperless-ngx and NAPS2. */
export const SEPARATOR_TEXT = 'PATCHT';

/**
 * A separator sheet: patch bars along all four edges, so that any edge can go first, a Code 39 in
 * the middle, and a QR code above and below it, the lower one upside down. `lines` are for people.
 */
export function separatorSheet(
  paper: Paper,
  { code39, qr }: Symbols,
  lines: readonly string[],
): Drawing {
  const middle = { x: paper.width / 2, y: paper.height / 2 };
  const upper = { x: middle.x - QR_SIZE / 2, y: middle.y - 84, width: QR_SIZE, height: QR_SIZE };
  const lower = { ...upper, y: middle.y + 42 };
  const bars = {
    x: middle.x - CODE39_WIDTH / 2,
    y: middle.y - 32,
    width: CODE39_WIDTH,
    height: CODE39_HEIGHT,
  };
  return {
    ...paper,
    boxes: [
      ...patchBars(paper),
      ...symbolBoxes(qr, upper),
      ...symbolBoxes(code39, bars),
      ...symbolBoxes(qr.map((row) => row.toReversed()).toReversed(), lower),
    ],
    lines: lines.map((text, index): TextLine => {
      const size = index === 0 ? 9 : 4.5;
      return { x: bars.x, y: middle.y + (index === 0 ? 0 : 6 + 7 * index), size, text };
    }),
  };
}

function patchBars({ width, height }: Paper): Box[] {
  let at = PATCH_MARGIN;
  const across = (width - PATCH_LENGTH) / 2;
  const down = (height - PATCH_LENGTH) / 2;
  return PATCH_BARS.flatMap((bar) => {
    const from = at;
    at += bar + PATCH_SPACE;
    return [
      { x: across, y: from, width: PATCH_LENGTH, height: bar },
      { x: across, y: height - from - bar, width: PATCH_LENGTH, height: bar },
      { x: from, y: down, width: bar, height: PATCH_LENGTH },
      { x: width - from - bar, y: down, width: bar, height: PATCH_LENGTH },
    ];
  });
}

/** The dark modules of a symbol, scaled to the box. Adjacent modules of a row are joined. */
export function symbolBoxes(
  rows: readonly (readonly boolean[])[],
  { x, y, width, height }: Box,
): Box[] {
  const cell = { width: width / (rows[0]?.length ?? 1), height: height / rows.length };
  return rows.flatMap((row, index) =>
    row.flatMap((isDark, column) => {
      if (!isDark || row[column - 1] === true) return [];
      const end = row.indexOf(false, column);
      const count = (end === -1 ? row.length : end) - column;
      return [
        {
          x: x + column * cell.width,
          y: y + index * cell.height,
          width: count * cell.width,
          height: cell.height,
        },
      ];
    }),
  );
}
