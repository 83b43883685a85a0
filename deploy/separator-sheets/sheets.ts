import { writePdf, type Drawing } from './pdf.ts';
import { PAPERS, SEPARATOR_TEXT, separatorSheet } from './sheet.ts';
import { makeSymbols } from './symbols.ts';

export interface SheetMetadata {
  /** Separated by commas. */
  readonly tags?: string | undefined;
  readonly type?: string | undefined;
  readonly correspondent?: string | undefined;
  readonly title?: string | undefined;
}

type PaperName = keyof typeof PAPERS;

/** The metadata in docs/separator-sheets.pdf. */
const EXAMPLE: SheetMetadata = { tags: 'inbox', title: 'From a separator sheet' };

/** docs/separator-sheets.pdf: a plain sheet and one with metadata, on A4 and then on Letter. */
export async function shippedSheets(): Promise<Buffer> {
  const drawings: Drawing[] = [];
  for (const paper of ['a4', 'letter'] as const) {
    drawings.push(await plainSheet(paper), await sheetWith(paper, EXAMPLE));
  }
  return writePdf(drawings);
}

export async function metadataSheet(paper: PaperName, metadata: SheetMetadata): Promise<Buffer> {
  return writePdf([await sheetWith(paper, metadata)]);
}

async function plainSheet(paper: PaperName): Promise<Drawing> {
  const symbols = await makeSymbols(SEPARATOR_TEXT, SEPARATOR_TEXT);
  return separatorSheet(PAPERS[paper], symbols, [
    'Separator sheet',
    'Put one before each document, any edge first.',
    'It is left out of the documents, and can be used again.',
  ]);
}

async function sheetWith(
  paper: PaperName,
  { tags, type, correspondent, title }: SheetMetadata,
): Promise<Drawing> {
  const lines = Object.entries({
    TAG: tags,
    TYPE: type,
    CORRESPONDENT: correspondent,
    TITLE: title,
  })
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => `${name}:${value}`);
  const symbols = await makeSymbols(SEPARATOR_TEXT, lines.join('\n'));
  return separatorSheet(PAPERS[paper], symbols, [
    'Separator sheet',
    'For the document that follows:',
    ...lines,
  ]);
}
