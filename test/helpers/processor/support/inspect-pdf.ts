import { outputOf } from '../../../support/programs.ts';

/** A word in a PDF as pdftotext finds it; in points from the upper left corner. */
export interface PlacedWord {
  readonly text: string;
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

export interface PdfImage {
  readonly page: number;
  readonly width: number;
  readonly height: number;
  /** The name that pdfimages (poppler-utils) uses: jpeg, ccitt, jbig2, image. */
  readonly encoding: string;
  readonly dpi: number;
}

export async function placedWords(pdf: string, page = 1): Promise<PlacedWord[]> {
  const number = String(page);
  const html = await outputOf('pdftotext', ['-bbox', '-f', number, '-l', number, pdf, '-']);
  const pattern =
    /<word xMin="(?<left>[\d.-]+)" yMin="(?<top>[\d.-]+)" xMax="(?<right>[\d.-]+)" yMax="(?<bottom>[\d.-]+)">(?<text>.*)<\/word>/g;
  return [...html.matchAll(pattern)].map(({ groups = {} }) => ({
    text: groups['text'] ?? '',
    left: Number(groups['left']),
    top: Number(groups['top']),
    right: Number(groups['right']),
    bottom: Number(groups['bottom']),
  }));
}

export function textOf(pdf: string): Promise<string> {
  return outputOf('pdftotext', [pdf, '-']);
}

export async function imagesOf(pdf: string): Promise<PdfImage[]> {
  const [, , ...rows] = (await outputOf('pdfimages', ['-list', pdf])).trim().split('\n');
  return rows.map((row) => {
    const columns = row.trim().split(/\s+/);
    const [page = 0, , , width = 0, height = 0] = columns.map(Number);
    return { page, width, height, encoding: columns[8] ?? '', dpi: Number(columns[12]) };
  });
}

export async function factsOf(pdf: string): Promise<Record<string, string>> {
  const lines = (await outputOf('pdfinfo', [pdf])).trim().split('\n');
  return Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
}

/** A level such as `2B`; undefined without a PDF/A claim or an output intent. */
export async function archiveLevelOf(pdf: string): Promise<string | undefined> {
  const metadata = await outputOf('pdfinfo', ['-meta', pdf]);
  const part = /pdfaid:part(?:>|=")(\d)/.exec(metadata)?.[1];
  const level = /pdfaid:conformance(?:>|=")(\w)/.exec(metadata)?.[1];
  const objects = await objectsOf(pdf);
  const hasColours = objects.includes('/OutputIntents');
  return part === undefined || !hasColours ? undefined : `${part}${level}`;
}

export function objectsOf(pdf: string): Promise<string> {
  return outputOf('qpdf', ['--json', pdf]);
}
