import { readIndirectObject, readStream, type OpenPdf, type PdfPlace } from './open-pdf.ts';
import {
  afterBlanks,
  matchAt,
  parsePdfValue,
  type PdfDictionary,
  type PdfValue,
} from './values.ts';

/** Enough for 200,000 objects. */
const MAX_TABLE_BYTES = 4 * 1024 * 1024;

/** Each update of a file appends a table. */
const MAX_TABLES = 32;

const TABLE = /\s*xref\s/y;
const SECTION = /\s*(\d{1,10})[ ]+(\d{1,10})\s+/y;
const ENTRY = /(\d{10}) \d{5} ([nf])\s{1,2}/y;
const TRAILER = /\s*trailer/y;

/** Reads all cross-references into `pdf.places`. Returns the newest trailer. */
export async function readCrossReferences(pdf: OpenPdf, start: number): Promise<PdfDictionary> {
  const due = [start];
  const seen = new Set<number>();
  let newest: PdfDictionary | undefined;
  for (let at = due.shift(); at !== undefined; at = due.shift()) {
    if (seen.has(at)) continue;
    seen.add(at);
    if (seen.size > MAX_TABLES) throw new Error('it was updated too often');
    const trailer = await readTable(pdf, at);
    newest ??= trailer;
    for (const before of [trailer.get('XRefStm'), trailer.get('Prev')]) {
      if (typeof before === 'number') due.push(before);
    }
  }
  if (newest === undefined) throw new Error('its table of objects is missing');
  return newest;
}

async function readTable(pdf: OpenPdf, position: number): Promise<PdfDictionary> {
  const head = (await pdf.read(position, 16)).toString('latin1');
  if (matchAt(TABLE, head, 0)) return readTextTable(pdf, position);
  const packed = await readIndirectObject(pdf, position);
  const { value } = packed;
  if (!(value instanceof Map)) throw new Error('its table of objects is missing');
  const [widths, sections] = [value.get('W'), value.get('Index') ?? [0, value.get('Size') ?? 0]];
  readEntries(await readStream(pdf, packed), { widths, sections }, pdf.places);
  return value;
}

async function readTextTable({ read, places }: OpenPdf, position: number): Promise<PdfDictionary> {
  const text = (await read(position, MAX_TABLE_BYTES)).toString('latin1');
  let at = matchAt(TABLE, text, 0)?.[0].length ?? 0;
  for (let section = matchAt(SECTION, text, at); section; section = matchAt(SECTION, text, at)) {
    const [head, first, count] = section;
    at += head.length;
    for (let index = 0; index < Number(count); index += 1) {
      const entry = matchAt(ENTRY, text, at);
      if (!entry) throw new Error('its table of objects is cut off');
      at += entry[0].length;
      const place = entry[2] === 'n' ? { position: Number(entry[1]) } : undefined;
      keep(places, Number(first) + index, place);
    }
  }
  const trailer = matchAt(TRAILER, text, at);
  const found = trailer && parsePdfValue(text, afterBlanks(text, at + trailer[0].length)).value;
  if (found instanceof Map) return found;
  throw new Error('its table of objects has no end');
}

/** Keeps the entry of a newer table, which was read first. */
function keep(places: OpenPdf['places'], object: number, place: PdfPlace | undefined): void {
  if (!places.has(object)) places.set(object, place);
}

/** A cross-reference stream (ISO 32000-1, 7.5.8.3): big-endian numbers of fixed widths. */
function readEntries(
  content: Buffer,
  table: { readonly widths: PdfValue | undefined; readonly sections: PdfValue },
  places: OpenPdf['places'],
): void {
  const [kindBytes = 0, firstBytes = 0, secondBytes = 0] = numbersOf(table.widths);
  const sections = numbersOf(table.sections);
  if (kindBytes + firstBytes + secondBytes === 0) throw new Error('its table of objects is broken');
  let at = 0;
  const next = (bytes: number): number => {
    const field = content.subarray(at, at + bytes);
    if (field.length < bytes) throw new Error('its table of objects is cut off');
    at += bytes;
    return field.reduce((number, byte) => number * 256 + byte, 0);
  };
  for (let section = 0; section + 1 < sections.length; section += 2) {
    const [first = 0, count = 0] = sections.slice(section, section + 2);
    for (let index = 0; index < count; index += 1) {
      const kind = kindBytes === 0 ? 1 : next(kindBytes);
      const [one, two] = [next(firstBytes), next(secondBytes)];
      const free = kind === 1 ? { position: one } : undefined;
      keep(places, first + index, kind === 2 ? { stream: one, index: two } : free);
    }
  }
}

function numbersOf(value: PdfValue | undefined): number[] {
  if (!Array.isArray(value)) throw new Error('its table of objects is broken');
  const numbers = value.filter((one) => typeof one === 'number' && one >= 0);
  if (numbers.length < value.length) throw new Error('its table of objects is broken');
  return numbers;
}
