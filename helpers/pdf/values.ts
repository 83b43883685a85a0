/** The PDF objects that counting pages needs. Strings are parsed as null. */
export type PdfValue = number | boolean | null | PdfName | PdfReference | PdfDictionary | PdfList;

export interface PdfName {
  readonly name: string;
}

export interface PdfReference {
  /** Object number. Generations are ignored, since new files do not use them. */
  readonly object: number;
}

export type PdfDictionary = ReadonlyMap<string, PdfValue>;

export interface PdfList extends ReadonlyArray<PdfValue> {}

export interface ParsedValue {
  readonly value: PdfValue;
  readonly end: number;
}

/** Programs nest objects less deeply than this. */
const MAX_DEPTH = 32;

const BLANK = String.raw`(?:[\0\t\n\f\r ]|%[^\n\r]*[\n\r])`;
const BLANKS = new RegExp(`${BLANK}*`, 'y');
const REFERENCE = new RegExp(String.raw`(\d{1,10})${BLANK}+\d{1,5}${BLANK}+R(?![A-Za-z])`, 'y');
const NAME = /\/([^\0\t\n\f\r ()<>[\]{}/%]*)/y;
const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)/y;
const HEXADECIMAL = /<[0-9A-Fa-f\0\t\n\f\r ]*>/y;
const WORD = /(?:true|false|null)(?![A-Za-z])/y;

/** Parses the value at a position of a latin1 text. Throws an Error if there is none. */
export function parsePdfValue(text: string, position: number, depth = 0): ParsedValue {
  if (depth > MAX_DEPTH) throw new Error('its objects are nested too deeply');
  const at = afterBlanks(text, position);
  if (text.startsWith('<<', at)) return parseDictionary(text, at + 2, depth);
  if (text.startsWith('[', at)) return parseList(text, at + 1, depth);
  if (text.startsWith('(', at)) return { value: null, end: afterString(text, at) };
  for (const [pattern, valueOf] of SCALARS) {
    const found = matchAt(pattern, text, at);
    if (found) return { value: valueOf(found), end: at + found[0].length };
  }
  throw new Error('an object is missing or cut off');
}

/** References come first, as they start with a number. */
const SCALARS: readonly (readonly [RegExp, (found: RegExpExecArray) => PdfValue])[] = [
  [REFERENCE, ([, object]) => ({ object: Number(object) })],
  [NAME, ([, name = '']) => ({ name })],
  [NUMBER, ([number]) => Number(number)],
  [HEXADECIMAL, () => null],
  [WORD, ([word]) => (word === 'null' ? null : word === 'true')],
];

export function afterBlanks(text: string, position: number): number {
  return position + (matchAt(BLANKS, text, position)?.[0].length ?? 0);
}

export function matchAt(pattern: RegExp, text: string, position: number): RegExpExecArray | null {
  pattern.lastIndex = position;
  return pattern.exec(text);
}

function parseDictionary(text: string, position: number, depth: number): ParsedValue {
  const entries = new Map<string, PdfValue>();
  let at = afterBlanks(text, position);
  while (!text.startsWith('>>', at)) {
    const name = matchAt(NAME, text, at);
    if (!name) throw new Error('a dictionary has no end');
    const { value, end } = parsePdfValue(text, at + name[0].length, depth + 1);
    entries.set(name[1] ?? '', value);
    at = afterBlanks(text, end);
  }
  return { value: entries, end: at + 2 };
}

function parseList(text: string, position: number, depth: number): ParsedValue {
  const values: PdfValue[] = [];
  let at = afterBlanks(text, position);
  while (!text.startsWith(']', at)) {
    const { value, end } = parsePdfValue(text, at, depth + 1);
    values.push(value);
    at = afterBlanks(text, end);
  }
  return { value: values, end: at + 1 };
}

/** Brackets in a string are balanced, or escaped by a backslash. */
function afterString(text: string, position: number): number {
  let open = 0;
  for (let at = position; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '(') open += 1;
    else if (text[at] === ')') open -= 1;
    if (open === 0) return at + 1;
  }
  throw new Error('a string has no end');
}
