import { parseJson } from '../../../helpers/read-json.ts';

/** Longer responses are shortened in messages. */
const MAX_CHARACTERS = 200;

/** The rest of a response is not parsed. */
const READ_CHARACTERS = 20_000;

export interface ResponseSummary {
  readonly format: 'json' | 'html' | 'text' | 'empty';
  /** One line. Empty if the response has no message. */
  readonly text: string;
}

/**
 * Shortens a response to one line. Masks the token before and after decoding, since a system may
 * echo it.
 */
export function summarize(body: string, redact: (text: string) => string): ResponseSummary {
  const text = redact(body).slice(0, READ_CHARACTERS).trim();
  const line = (found: string): string => oneLine(redact(found));
  if (text === '') return { format: 'empty', text: '' };
  const value = parseJson(text);
  if (value !== undefined) {
    return { format: 'json', text: line(describedJson(value) ?? text) };
  }
  if (text.startsWith('<')) return { format: 'html', text: line(describeHtml(text)) };
  return { format: 'text', text: line(text) };
}

/** Removes control characters and line breaks, and limits the length. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, ' ').trim();
  const characters = Array.from(line.toWellFormed());
  if (characters.length <= MAX_CHARACTERS) return characters.join('');
  const kept = characters.slice(0, MAX_CHARACTERS - 1).join('');
  return `${kept.trimEnd()}…`;
}

/** Undefined if the JSON is nested too deeply for the stack. */
function describedJson(value: unknown): string | undefined {
  try {
    return describeJson(value);
  } catch {
    return undefined;
  }
}

/** Reads Django's format: `{"detail": "…"}` or `{"<field>": ["…"], …}`. */
function describeJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return messages(value);
  if ('detail' in value) return messages(value['detail']);
  return Object.entries(value)
    .map(([field, problems]) => `${field}: ${messages(problems)}`)
    .join('; ');
}

function messages(value: unknown): string {
  if (typeof value === 'string') return value.trim().replace(/\.$/, '');
  if (Array.isArray(value)) return value.map((item) => messages(item)).join(', ');
  return JSON.stringify(value);
}

function describeHtml(body: string): string {
  const text =
    /<title[^>]*>([^<]*)/i.exec(body)?.[1]?.trim() || /<h1[^>]*>(.*?)<\/h1>/is.exec(body)?.[1];
  return (text ?? body).replace(/<[^>]*>?/g, ' ');
}
