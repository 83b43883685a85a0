import { MAX_STREAM_BYTES, unpack } from './unpack.ts';
import { matchAt, parsePdfValue, type PdfDictionary, type PdfValue } from './values.ts';

/** The position of an object in the file, or its index in an object stream. */
export type PdfPlace =
  { readonly position: number } | { readonly stream: number; readonly index: number };

export interface OpenPdf {
  /** Returns fewer bytes at the end of the file. */
  readonly read: (position: number, bytes: number) => Promise<Buffer>;
  /** Objects by number. Undefined: the number is free. */
  readonly places: Map<number, PdfPlace | undefined>;
}

export interface IndirectObject {
  readonly value: PdfValue;
  /** Position of the object's stream in the file. Undefined if the object has no stream. */
  readonly stream: number | undefined;
}

/** Largest object that can be read. A page tree of several thousand pages fits. */
const OBJECT_BYTES = 128 * 1024;

/** Resolving an object may require others: the length of a stream, or an object stream. */
const MAX_STEPS = 4;

const OBJECT = /\s*(\d{1,10})\s+\d{1,5}\s+obj/y;
const STREAM = /\s*stream\r?\n/y;

/** Throws an Error if there is no object. */
export async function readIndirectObject(
  { read }: OpenPdf,
  position: number,
): Promise<IndirectObject & { readonly object: number }> {
  const text = (await read(position, OBJECT_BYTES)).toString('latin1');
  const head = matchAt(OBJECT, text, 0);
  if (!head) throw new Error('an object is not where it should be');
  const { value, end } = parsePdfValue(text, head[0].length);
  const begin = matchAt(STREAM, text, end);
  const stream = begin ? position + end + begin[0].length : undefined;
  return { object: Number(head[1]), value, stream };
}

/** Follows a reference. Throws an Error if the object is missing. */
async function resolve(
  pdf: OpenPdf,
  value: PdfValue | undefined,
  step = 0,
): Promise<PdfValue | undefined> {
  if (!isObject(value) || !('object' in value)) return value;
  const place = pdf.places.get(value.object);
  if (place === undefined || step > MAX_STEPS) throw new Error('an object is missing');
  if ('stream' in place) return fromStream(pdf, place, step + 1);
  const found = await readIndirectObject(pdf, place.position);
  if (found.object !== value.object) throw new Error('an object is not where it should be');
  return found.value;
}

/** Throws an Error unless the object is a dictionary. */
export async function resolveDictionary(
  pdf: OpenPdf,
  value: PdfValue | undefined,
): Promise<PdfDictionary> {
  const found = await resolve(pdf, value);
  if (found instanceof Map) return found;
  throw new Error('a dictionary is missing');
}

async function fromStream(
  pdf: OpenPdf,
  { stream, index }: Extract<PdfPlace, { index: number }>,
  step: number,
): Promise<PdfValue> {
  const place = pdf.places.get(stream);
  if (place === undefined || !('position' in place)) throw new Error('an object is missing');
  const packed = await readIndirectObject(pdf, place.position);
  const content = (await readStream(pdf, packed, step)).toString('latin1');
  const first = packed.value instanceof Map ? Number(packed.value.get('First')) : Number.NaN;
  // The stream starts with pairs: an object's number and its position.
  const position = Number(content.slice(0, first).trim().split(/\s+/)[index * 2 + 1]);
  if (Number.isNaN(position)) throw new Error('a stream of objects is broken');
  return parsePdfValue(content, first + position).value;
}

export async function readStream(
  pdf: OpenPdf,
  { value, stream }: IndirectObject,
  step = 0,
): Promise<Buffer> {
  if (!(value instanceof Map) || stream === undefined) throw new Error('a stream is missing');
  const length = await resolve(pdf, value.get('Length'), step);
  if (typeof length !== 'number' || !(length >= 0 && length <= MAX_STREAM_BYTES)) {
    throw new Error('the length of a stream is wrong');
  }
  const packed = await pdf.read(stream, length);
  if (packed.length < length) throw new Error('a stream is cut off');
  return unpack(packed, value);
}

function isObject(value: PdfValue | undefined): value is Extract<PdfValue, object> {
  return typeof value === 'object' && value !== null;
}
