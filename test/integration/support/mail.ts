import type { Drawing, TextLine } from '../../../deploy/separator-sheets/pdf.ts';
import {
  PAPERS,
  SEPARATOR_TEXT,
  separatorSheet,
  symbolBoxes,
} from '../../../deploy/separator-sheets/sheet.ts';
import { makeSymbols } from '../../../deploy/separator-sheets/symbols.ts';
import type { Paper } from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import { printSheets, type PrintedSheets, type PrintedSide } from '../../support/print-sheets.ts';

const EMPTY: Drawing = { ...PAPERS.a4, boxes: [], lines: [] };

const SENTENCES = [
  'thank you for your letter of last week about the garden',
  'the offer that we promised is enclosed with this page',
  'with kind regards from the whole of our small company',
];

function letter(heading: string): Drawing {
  const lines = [heading, '', ...SENTENCES].map((text, index): TextLine => ({
    x: 25,
    y: 60 + 12 * index,
    size: 5,
    text,
  }));
  return { ...PAPERS.a4, boxes: [], lines };
}

async function withSticker(side: Drawing, text: string): Promise<Drawing> {
  const { qr } = await makeSymbols(SEPARATOR_TEXT, text);
  return { ...side, boxes: symbolBoxes(qr, { x: 160, y: 15, width: 22, height: 22 }) };
}

async function separator(metadata: string = SEPARATOR_TEXT): Promise<PrintedSide> {
  const symbols = await makeSymbols(SEPARATOR_TEXT, metadata);
  return { drawing: separatorSheet(PAPERS.a4, symbols, ['Separator sheet']) };
}

/** `blankFront` has its text on the back. */
export type SheetKind = 'letter' | 'bothSides' | 'blank' | 'blankFront' | 'separator';

export async function printKinds(): Promise<
  Readonly<Record<SheetKind, Paper>> & Pick<PrintedSheets, 'remove'>
> {
  const text = { drawing: letter('A letter') };
  const blank = { drawing: EMPTY };
  const { sheets, remove } = await printSheets([
    { front: text },
    { front: text, back: text },
    { front: blank },
    { front: blank, back: text },
    { front: await separator() },
  ]);
  const [one = '', bothSides = '', empty = '', blankFront = '', divider = ''] = sheets;
  return { letter: one, bothSides, blank: empty, blankFront, separator: divider, remove };
}

/** Mixed mail to be scanned on both sides. Every letter is numbered. */
export async function printShoebox(): Promise<PrintedSheets> {
  const text = (sheet: number): PrintedSide => ({ drawing: letter(firstLine(sheet)) });
  const back = (sheet: number): PrintedSide => ({ drawing: letter(`Back of letter ${sheet}`) });
  const sticker = async (sheet: number, code: string): Promise<PrintedSide> => ({
    drawing: await withSticker(letter(firstLine(sheet)), code),
  });
  const blank = { drawing: EMPTY };
  return printSheets([
    { front: await separator() },
    { front: text(2), back: { ...blank, pencil: true } },
    { front: await separator() },
    { front: blank, back: await separator() },
    { front: text(5) },
    { front: blank, back: text(6) },
    { front: await separator('TAG:Receipt\nTITLE:Tax return 2025\nTYPE:Letter') },
    { front: text(8) },
    { front: { ...(await separator()), turned: true } },
    { front: text(10), back: back(10) },
    { front: { ...text(11), turned: true } },
    { front: await sticker(12, 'ASN00123') },
    { front: text(13) },
    { front: text(14), back: { drawing: await withSticker(EMPTY, 'ASN00124') } },
    { front: await sticker(15, 'ASN00124') },
    { front: await separator('CORRESPONDENT:City Utilities\nTITLE:From the bank') },
    { front: text(17) },
    { front: await sticker(18, 'ASN125') },
    { front: await separator() },
  ]);
}

/**
 * The documents that the shoebox must become: sheets, kept backs, title, and metadata as ids of the
 * DMS.
 */
export const SHOEBOX: readonly {
  readonly sheets: readonly number[];
  readonly backs?: readonly number[];
  readonly title: string;
  readonly sent?: Readonly<Record<string, string>>;
}[] = [
  { sheets: [2], backs: [2], title: firstLine(2) },
  { sheets: [5, 6], backs: [6], title: firstLine(5) },
  { sheets: [8], title: 'Tax return 2025', sent: { tags: '3', document_type: '1' } },
  { sheets: [10, 11], backs: [10], title: firstLine(10) },
  { sheets: [12, 13], title: firstLine(12), sent: { archive_serial_number: '123' } },
  { sheets: [14, 15], backs: [14], title: firstLine(14), sent: { archive_serial_number: '124' } },
  { sheets: [17], title: 'From the bank', sent: { correspondent: '1' } },
  { sheets: [18], title: firstLine(18), sent: { archive_serial_number: '125' } },
];

export const SEPARATORS: readonly number[] = [1, 3, 4, 7, 9, 16, 19];
export const UPSIDE_DOWN = 11;
/** The front of this sheet jams, in the middle of a document. */
export const JAMMED = 13;

function firstLine(sheet: number): string {
  return `Letter number ${sheet} of the shoebox`;
}
