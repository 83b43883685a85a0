import type Joi from 'joi';
import { YAMLException } from 'js-yaml';
import { errorCode, isTransient } from '../../helpers/error-code.ts';
import { UnreadableFile } from '../../helpers/plain-file.ts';

/** A mistake in a profile file. Contains no value that may be secret. */
export interface ProfileProblem {
  readonly file: string;
  /** Such as `destinations[0].base_url`. Null for the whole file. */
  readonly field: string | null;
  readonly message: string;
  /** What to do, if not to correct the file. Without a full stop. */
  readonly remedy?: string;
  /** True if the file may be readable at the next attempt. */
  readonly isTransient?: boolean;
  /** True for a file of the product, which nobody should edit. */
  readonly isShipped?: boolean;
  readonly profile: string | undefined;
}

export type FileProblem = Omit<ProfileProblem, 'file' | 'profile'>;

/** Mistakes reported per file. There can be 20,000. */
const MAX_FIELDS = 20;
/** In characters, for messages: a key may fill the whole file. */
const MAX_FIELD = 80;
const MAX_FOUND = 60;

/** Messages may show the values of these fields, since they contain no secrets. */
const SHOWN =
  /^(?:name|source|mode|resolution|page_size|max_pages|processing|assembly|timeout_seconds|trigger)\b/;

export function wholeFile(what: string): FileProblem {
  return { field: null, message: `The file ${what}.` };
}

/** Returns one problem per field. `text` is the file, to find the lines of unknown keys. */
export function fieldProblems(
  details: readonly Joi.ValidationErrorItem[],
  text: string,
): FileProblem[] {
  const shown = details.slice(0, MAX_FIELDS).map((detail) => fieldProblem(detail, text));
  // A value may break several rules with the same message.
  const problems = [...new Map(shown.map((problem) => [problem.message, problem])).values()];
  const left = details.length - shown.length;
  return left > 0 ? [...problems, wholeFile(`has ${left} more wrong fields`)] : problems;
}

function fieldProblem(detail: Joi.ValidationErrorItem, text: string): FileProblem {
  const { path, type, message, context } = detail;
  if (path.length === 0) return wholeFile(message);
  const field = fieldName(path);
  const where = type === 'object.unknown' ? lineOf(path, text) : found(field, context?.value);
  return { field, message: `"${field}" ${message}${where}.` };
}

function fieldName(path: readonly (string | number)[]): string {
  const name = path
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`))
    .join('')
    .replace(/^\./, '')
    .replaceAll(/[^\p{L}\p{N}_.[\]-]/gu, '?');
  return name.length <= MAX_FIELD ? name : `${name.slice(0, MAX_FIELD)}…`;
}

function found(field: string, value: unknown): string {
  const isShown = SHOWN.test(field) && ['string', 'number', 'boolean'].includes(typeof value);
  return isShown ? `, but is ${JSON.stringify(value).slice(0, MAX_FOUND)}` : '';
}

/** Finds the first line with this key, which is not always the right one. */
function lineOf(path: readonly (string | number)[], text: string): string {
  const key = String(path.at(-1)).replaceAll(/[^\w-]/g, '.');
  if (key.length > MAX_FIELD) return '';
  const isKey = new RegExp(`(?:^|[\\s{,-])["']?${key}["']?\\s*:`);
  const line = text.split('\n').findIndex((one) => isKey.test(one));
  return line === -1 ? '' : ` (line ${line + 1})`;
}

/** Explains why a file could not be read, without quoting from it. */
export function unreadable(error: unknown): FileProblem {
  if (error instanceof UnreadableFile) {
    const late = {
      remedy: 'Check the disk or the network share that it lies on',
      isTransient: true,
    };
    return { ...wholeFile(error.message), ...(error.code === 'ETIMEDOUT' && late) };
  }
  if (!(error instanceof YAMLException)) {
    const code = errorCode(error);
    const right = code === 'EACCES' && {
      remedy: 'Let the service read it, as with chmod 0644, or start the containers again',
    };
    const what = { ...wholeFile(`cannot be read (${code ?? 'unknown error'})`), ...right };
    return isTransient(error) ? { ...what, isTransient: true } : what;
  }
  const line = error.mark === undefined ? '' : `line ${error.mark.line + 1}: `;
  // Cuts the parser's reason at a quote or bracket, after which it quotes the file.
  return wholeFile(`is not valid YAML (${line}${error.reason.replace(/\s*[!"'`<].*$/s, '')})`);
}
