import { printSheets, type PrintedSheet, type PrintedSheets } from '../../support/print-sheets.ts';
import { EMPTY, letter, separator, withSticker } from './printed-mail.ts';

/** A sheet of a stack, by what is on it. `blank front` has its text on the back. */
export type SheetKind =
  | 'letter'
  | 'both sides'
  | 'blank'
  | 'blank front'
  | 'separator'
  | 'separator face down'
  | 'sticker'
  | 'sticker on back';

/** Prints a stack; the stickers of a stack all say ASN7. The caller removes it. */
export async function printStack(...kinds: readonly SheetKind[]): Promise<PrintedSheets> {
  return printSheets(await Promise.all(kinds.map((kind, index) => sheetOf(kind, index + 1))));
}

async function sheetOf(kind: SheetKind, number: number): Promise<PrintedSheet> {
  const text = { drawing: letter(`Sheet ${number}`) };
  const back = { drawing: letter(`Back of sheet ${number}`) };
  const blank = { drawing: EMPTY };
  switch (kind) {
    case 'letter':
      return { front: text };
    case 'both sides':
      return { front: text, back };
    case 'blank':
      return { front: blank };
    case 'blank front':
      return { front: blank, back };
    case 'separator':
      return { front: { drawing: await separator() } };
    case 'separator face down':
      return { front: blank, back: { drawing: await separator() } };
    case 'sticker':
      return { front: { drawing: await withSticker(text.drawing, 'ASN7') } };
    case 'sticker on back':
      return { front: text, back: { drawing: await withSticker(EMPTY, 'ASN7') } };
  }
}
