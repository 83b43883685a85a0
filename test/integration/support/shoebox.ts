import type { Drawing } from '../../../deploy/separator-sheets/pdf.ts';
import type { PrintedSheet, PrintedSide } from '../../support/print-sheets.ts';
import { EMPTY, letter, separator, withSticker } from './printed-mail.ts';

/** A document of the shoebox, as it should be filed. */
export interface ExpectedDocument {
  readonly sheets: readonly number[];
  /** The sheets whose backs are not blank. */
  readonly backs: readonly number[];
  readonly title: string;
  /** Ids in the system, as they are sent. */
  readonly tag?: string;
  readonly correspondent?: string;
  readonly type?: string;
  readonly serialNumber?: string;
}

export const SEPARATORS: readonly number[] = [4, 10, 15, 29, 35];

/** Codes in the QR of a separator, by its sheet. */
const METADATA: Readonly<Record<number, string>> = {
  10: 'TAG:Receipt\nTITLE:Tax return 2025\nTYPE:Letter',
  35: 'CORRESPONDENT:City Utilities\nTITLE:From the bank',
};
const UPSIDE_DOWN: readonly number[] = [15, 17, 18];
const STICKERS: Readonly<Record<number, string>> = { 21: 'ASN00123', 25: 'ASN00124', 40: 'ASN125' };
const PENCIL_BACKS: readonly number[] = [2];
const PRINTED_BACKS: readonly number[] = [6, 7, 32];

const range = (from: number, to: number): number[] =>
  Array.from({ length: to - from + 1 }, (_, index) => from + index);

const firstLine = (sheet: number): string => `Letter number ${sheet} of the shoebox`;

export const DOCUMENTS: readonly ExpectedDocument[] = [
  { sheets: range(1, 3), backs: [2], title: firstLine(1) },
  { sheets: range(5, 9), backs: [6, 7], title: firstLine(5) },
  { sheets: range(11, 14), backs: [], title: 'Tax return 2025', tag: '3', type: '1' },
  { sheets: range(16, 20), backs: [], title: firstLine(16) },
  { sheets: range(21, 24), backs: [], title: firstLine(21), serialNumber: '123' },
  { sheets: range(25, 28), backs: [], title: firstLine(25), serialNumber: '124' },
  { sheets: range(30, 34), backs: [32], title: firstLine(30) },
  { sheets: range(36, 39), backs: [], title: 'From the bank', correspondent: '1' },
  { sheets: [40], backs: [], title: firstLine(40), serialNumber: '125' },
];

const SHEETS = 40;

/** 40 sheets of duplex mail. */
export function shoebox(): Promise<PrintedSheet[]> {
  return Promise.all(range(1, SHEETS).map(printedSheet));
}

async function printedSheet(sheet: number): Promise<PrintedSheet> {
  const drawing = SEPARATORS.includes(sheet)
    ? await separator(METADATA[sheet])
    : await sticked(sheet);
  const front: PrintedSide = { drawing, turned: UPSIDE_DOWN.includes(sheet) };
  if (PENCIL_BACKS.includes(sheet)) return { front, back: { drawing: EMPTY, pencil: true } };
  if (PRINTED_BACKS.includes(sheet))
    return { front, back: { drawing: letter(`Back of letter ${sheet}`) } };
  return { front };
}

async function sticked(sheet: number): Promise<Drawing> {
  const sticker = STICKERS[sheet];
  const side = letter(firstLine(sheet));
  return sticker === undefined ? side : withSticker(side, sticker);
}
