import { MM_PER_INCH } from '../../helpers/paper.ts';

/** Black boxes and lines of text. Lengths are in mm from the top left corner. */
export interface Drawing {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly Box[];
  readonly lines: readonly TextLine[];
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface TextLine {
  readonly x: number;
  readonly y: number;
  /** In mm. */
  readonly size: number;
  /** Latin-1. Other characters become question marks. */
  readonly text: string;
}

const POINTS_PER_MM = 72 / MM_PER_INCH;

/** The same drawings give the same bytes. The font, Helvetica, is not embedded. */
export function writePdf(drawings: readonly Drawing[]): Buffer {
  const firstPage = 4;
  const kids = drawings.map((_, index) => `${firstPage + 2 * index} 0 R`);
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Kids [${kids.join(' ')}] /Count ${drawings.length} >>`,
    '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    ...drawings.flatMap((drawing, index) => {
      const content = contentOf(drawing);
      const box = `[0 0 ${points(drawing.width)} ${points(drawing.height)}]`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox ${box} /Resources << /Font << /F 3 0 R >> >> /Contents ${firstPage + 2 * index + 1} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  return fileOf(objects);
}

/** All text is Latin-1, so offsets in characters are offsets in bytes. */
function fileOf(objects: readonly string[]): Buffer {
  let text = '%PDF-1.4\n';
  const offsets = objects.map((object, index) => {
    const offset = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const size = objects.length + 1;
  const table = `xref\n0 ${size}\n0000000000 65535 f \n${offsets.join('')}`;
  const trailer = `trailer\n<< /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
  return Buffer.from(text + table + trailer, 'latin1');
}

function contentOf({ height, boxes, lines }: Drawing): string {
  const drawn = boxes.map(
    (box) =>
      `${points(box.x)} ${points(height - box.y - box.height)} ${points(box.width)} ${points(box.height)} re`,
  );
  const written = lines.map(
    ({ x, y, size, text }) =>
      `BT /F ${points(size)} Tf ${points(x)} ${points(height - y)} Td (${escaped(text)}) Tj ET`,
  );
  return [...drawn, 'f', ...written].join('\n');
}

function points(mm: number): string {
  return String(Math.round(mm * POINTS_PER_MM * 1000) / 1000);
}

function escaped(text: string): string {
  return text
    .replaceAll(/[^\x20-\x7E\xA0-\xFF]/gu, '?')
    .replaceAll(/[\\()]/g, (character) => `\\${character}`);
}
