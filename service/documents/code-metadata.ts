import { warning } from '../../helpers/warnings.ts';
import type { RecordedPage } from '../archive/scan-record.ts';
import type { DocumentMetadata } from '../paperless/destination.ts';
import { MAX_NAME_CHARACTERS, MAX_TAGS, METADATA_RULES } from '../paperless/metadata-schema.ts';
import { MAX_TITLE_CHARACTERS } from '../paperless/upload/title.ts';
import type { Barcodes } from '../profiles/profile.ts';
import type { PageGroup } from './separators.ts';

export interface CodeMetadata {
  readonly metadata: DocumentMetadata;
  readonly warnings: readonly string[];
}

const MAX_SHOWN = 40;

const A_NAME = `a name of 1 to ${MAX_NAME_CHARACTERS} characters`;

const EXPECTED: Readonly<Record<FieldLine['field'], string>> = {
  tags: `at most ${MAX_TAGS} tags, each ${A_NAME}`,
  document_type: A_NAME,
  correspondent: A_NAME,
  title: `text of 1 to ${MAX_TITLE_CHARACTERS} characters, none of them a control character`,
};

/** The rest of a code after its prefix, such as in `ASN00123`, `ASN 123`, `ASN-123`, `ASN: 123`. */
const SERIAL_NUMBER = /^[\s:#._-]*(?<digits>\d+)\s*$/;

export function serialNumberOn(
  pages: readonly RecordedPage[],
  barcodes: Barcodes,
): number | undefined {
  return serialNumbers(pages, barcodes).find(({ number }) => number !== undefined)?.number;
}

/**
 * Takes serial numbers from codes on any page, but other metadata only from separators, because
 * anybody can print a code on a letter. A title from a code is never used as a template.
 */
export function codeMetadata(group: PageGroup, barcodes: Barcodes | undefined): CodeMetadata {
  if (barcodes === undefined) return { metadata: {}, warnings: [] };
  const fields = fieldLines(group.separators, barcodes);
  const serial = serialNumberOf([...group.separators, ...group.pages], barcodes);
  const isLost = group.pages.length === 0 && (fields.length > 0 || serial.number !== undefined);
  const [page] = group.separators;
  if (page !== undefined && isLost) {
    const unfollowed = `Page ${page.number}: ${warning('nothing_follows', {})}`;
    return { metadata: {}, warnings: [unfollowed] };
  }
  const { metadata, warnings } = barcodes.metadata ? readFields(fields) : unused(fields);
  const number = serial.number === undefined ? {} : { archive_serial_number: serial.number };
  return { metadata: { ...metadata, ...number }, warnings: [...warnings, ...serial.warnings] };
}

interface PageText {
  readonly page: number;
  readonly text: string;
}

interface SerialNumber extends PageText {
  readonly number: number | undefined;
}

function textsOn(pages: readonly RecordedPage[]): PageText[] {
  return pages.flatMap(({ number, recognized }) =>
    (recognized?.facts.codes ?? []).map(({ text }) => ({ page: number, text })),
  );
}

function serialNumbers(
  pages: readonly RecordedPage[],
  { asn_prefix: prefix }: Barcodes,
): SerialNumber[] {
  return textsOn(pages)
    .filter(({ text }) => text.startsWith(prefix))
    .map(({ page, text }) => {
      const digits = SERIAL_NUMBER.exec(text.slice(prefix.length))?.groups?.['digits'];
      const number = digits === undefined ? undefined : Number(digits);
      const { error } = METADATA_RULES.archive_serial_number.validate(number, { convert: false });
      return { page, text, number: error ? undefined : number };
    });
}

function serialNumberOf(
  pages: readonly RecordedPage[],
  barcodes: Barcodes,
): { readonly number: number | undefined; readonly warnings: string[] } {
  const number = serialNumberOn(pages, barcodes);
  const warnings = serialNumbers(pages, barcodes).flatMap((found) => {
    if (found.number === undefined) {
      return [`${placeOf(found)}${warning('code_not_used', { text: cited(found) })}`];
    }
    if (found.number === number) return [];
    const facts = { text: cited(found), number: number ?? 0 };
    return [`${placeOf(found)}${warning('code_not_used/other', facts)}`];
  });
  return { number, warnings: [...new Set(warnings)] };
}

interface FieldLine extends PageText {
  readonly field: 'tags' | 'document_type' | 'correspondent' | 'title';
  readonly value: string;
}

/** Reads lines such as `TAG:tax,2026`, each once: a separator sheet has its code printed twice. */
function fieldLines(separators: readonly RecordedPage[], { tag_prefix }: Barcodes): FieldLine[] {
  const prefixes = [
    [tag_prefix, 'tags'],
    ['TYPE:', 'document_type'],
    ['CORRESPONDENT:', 'correspondent'],
    ['TITLE:', 'title'],
  ] as const;
  const found = textsOn(separators).flatMap(({ page, text }) =>
    text.split(/\r?\n/).flatMap((line) => {
      const known = prefixes.find(([prefix]) =>
        line.toUpperCase().startsWith(prefix.toUpperCase()),
      );
      if (known === undefined) return [];
      return [{ page, text: line, field: known[1], value: line.slice(known[0].length).trim() }];
    }),
  );
  return [...new Map(found.map((line) => [line.text, line])).values()];
}

function unused(fields: readonly FieldLine[]): CodeMetadata {
  const [first] = fields;
  if (first === undefined) return { metadata: {}, warnings: [] };
  const refused = warning('code_not_used/not_allowed', { text: cited(first) });
  return { metadata: {}, warnings: [`${placeOf(first)}${refused}`] };
}

/** Combines the tags of all codes. For any other field, uses the last code. */
function readFields(fields: readonly FieldLine[]): CodeMetadata {
  let metadata: DocumentMetadata = {};
  const warnings: string[] = [];
  for (const line of fields) {
    const { field } = line;
    const given = valueOf(line);
    const value = Array.isArray(given) ? [...new Set([...(metadata.tags ?? []), ...given])] : given;
    const { error } = METADATA_RULES[field].validate(value, { convert: false });
    if (error === undefined) metadata = { ...metadata, [field]: value };
    else {
      const facts = { text: cited(line), expected: EXPECTED[field] };
      warnings.push(`${placeOf(line)}${warning('code_not_used/wrong', facts)}`);
    }
  }
  return { metadata, warnings };
}

/** Splits tags into names. A number is a name too, as in Paperless-ngx. */
function valueOf({ field, value }: FieldLine): string | string[] {
  if (field !== 'tags') return value;
  return value
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
}

function placeOf({ page }: PageText): string {
  return `Page ${page}: `;
}

function cited({ text }: PageText): string {
  const plain = text
    .toWellFormed()
    .replaceAll(/[\p{C}\p{Z}]+/gu, ' ')
    .trim();
  const characters = Array.from(plain);
  return characters.length > MAX_SHOWN ? `${characters.slice(0, MAX_SHOWN).join('')}…` : plain;
}
