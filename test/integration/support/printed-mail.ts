import type { Drawing, TextLine } from '../../../deploy/separator-sheets/pdf.ts';
import {
  PAPERS,
  SEPARATOR_TEXT,
  separatorSheet,
  symbolBoxes,
} from '../../../deploy/separator-sheets/sheet.ts';
import { makeSymbols } from '../../../deploy/separator-sheets/symbols.ts';

/** White paper. */
export const EMPTY: Drawing = { ...PAPERS.a4, boxes: [], lines: [] };

/** A separator sheet; its QR holds `metadata` where it is given. */
export async function separator(metadata: string = SEPARATOR_TEXT): Promise<Drawing> {
  const symbols = await makeSymbols(SEPARATOR_TEXT, metadata);
  return separatorSheet(PAPERS.a4, symbols, ['Separator sheet']);
}

/** The same side with a sticker on it: a QR with that text. */
export async function withSticker(side: Drawing, text: string): Promise<Drawing> {
  const { qr } = await makeSymbols(SEPARATOR_TEXT, text);
  return { ...side, boxes: symbolBoxes(qr, { x: 160, y: 15, width: 22, height: 22 }) };
}

const SENTENCES = [
  'thank you for your letter of last week about the garden',
  'the offer that we promised is enclosed with this page',
  'please return the signed copy before the end of the month',
  'our office is open every morning except on Sundays',
  'with kind regards from the whole of our small company',
];

/** A side with text below that heading. */
export function letter(heading: string): Drawing {
  const lines = [heading, '', ...SENTENCES].map((text, index): TextLine => ({
    x: 25,
    y: 60 + 12 * index,
    size: 5,
    text,
  }));
  return { ...PAPERS.a4, boxes: [], lines };
}
