import { inflateSync } from 'node:zlib';
import type { PdfDictionary, PdfValue } from './values.ts';

/** Enough for a table of 500,000 objects. */
export const MAX_STREAM_BYTES = 8 * 1024 * 1024;

const FIRST_OF_PNG = 10;

/** Throws an Error for any filter but Flate. */
export function unpack(packed: Buffer, dictionary: PdfDictionary): Buffer {
  const filter = only(dictionary.get('Filter'));
  if (filter === undefined) return packed;
  if (typeof filter !== 'object' || filter === null || !('name' in filter)) throw unknownPacking();
  if (filter.name !== 'FlateDecode') throw unknownPacking();
  const content = inflateSync(packed, { maxOutputLength: MAX_STREAM_BYTES });
  const parameters = only(dictionary.get('DecodeParms'));
  return parameters instanceof Map ? withoutPredictor(content, parameters) : content;
}

function only(value: PdfValue | undefined): PdfValue | undefined {
  return Array.isArray(value) && value.length === 1 ? value[0] : value;
}

/** Undoes PNG's predictors (ISO 32000-1, 7.4.4.4), one byte per pixel. */
function withoutPredictor(content: Buffer, parameters: PdfDictionary): Buffer {
  const predictor = Number(parameters.get('Predictor') ?? 1);
  if (predictor < FIRST_OF_PNG) return content;
  const width = Number(parameters.get('Columns') ?? 1);
  if (!(width >= 1)) throw unknownPacking();
  const rows: Buffer[] = [];
  let above = Buffer.alloc(width);
  for (let at = 0; at < content.length; at += width + 1) {
    const row = Buffer.from(content.subarray(at + 1, at + 1 + width));
    for (const [x, byte] of row.entries()) {
      const [left, up, corner] = [row[x - 1] ?? 0, above[x] ?? 0, above[x - 1] ?? 0];
      row[x] = byte + predicted(content[at] ?? 0, { left, up, corner });
    }
    rows.push(row);
    above = row;
  }
  return Buffer.concat(rows);
}

interface Neighbours {
  readonly left: number;
  readonly up: number;
  readonly corner: number;
}

function predicted(kind: number, { left, up, corner }: Neighbours): number {
  switch (kind) {
    case 0:
      return 0;
    case 1:
      return left;
    case 2:
      return up;
    case 3:
      return Math.floor((left + up) / 2);
    case 4: {
      const guess = left + up - corner;
      const [byLeft, byUp, byCorner] = [left, up, corner].map((one) => Math.abs(guess - one));
      if (Number(byLeft) <= Math.min(Number(byUp), Number(byCorner))) return left;
      return Number(byUp) <= Number(byCorner) ? up : corner;
    }
    default:
      throw unknownPacking();
  }
}

function unknownPacking(): Error {
  return new Error('a stream is packed in an unknown way');
}
