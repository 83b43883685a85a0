/** Longest part of an answer that goes into an error. */
const MAX_CHARACTERS = 200;

/** Longest part of an answer that is looked at. */
const LOOKED_AT_CHARACTERS = 20_000;

export interface AnswerSummary {
  readonly format: 'json' | 'html' | 'text' | 'empty';
  /** One line that says what the answer says; empty when it says nothing. */
  readonly text: string;
}

/**
 * One line of an error answer: `detail` or the messages by field of JSON, the title or heading of an HTML page, the
 * beginning of a plain text. The `token` is taken out first: a system may send back what it was sent.
 */
export function summarise(
  answer: { body: string; contentType: string },
  token: string,
): AnswerSummary {
  const body = answer.body.replaceAll(token, '[token]').slice(0, LOOKED_AT_CHARACTERS).trim();
  if (body === '') return { format: 'empty', text: '' };
  const value = parseJson(body);
  if (value !== undefined) return { format: 'json', text: oneLine(describeJson(value)) };
  if (/^\s*</.test(body)) return { format: 'html', text: oneLine(describeHtml(body)) };
  return { format: 'text', text: oneLine(body) };
}

/** A text as one line of bounded length, without control characters. */
export function oneLine(text: string): string {
  const line = text.replace(/[\p{Cc}\p{Cf}\p{Z}]+/gu, ' ').trim();
  const characters = Array.from(line.toWellFormed());
  if (characters.length <= MAX_CHARACTERS) return characters.join('');
  return `${characters
    .slice(0, MAX_CHARACTERS - 1)
    .join('')
    .trimEnd()}…`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Django REST framework: `{"detail": "…"}`, or `{"<field>": ["…"], …}`. */
function describeJson(value: unknown): string {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return messages(value);
  if ('detail' in value) return messages(value.detail);
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
