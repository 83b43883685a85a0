import type Joi from 'joi';
import { YAMLException } from 'js-yaml';
import { errorCode, isTransient } from '../../helpers/error-code.ts';
import { UnreadableFile } from '../../helpers/plain-file.ts';

/** An error in a profile file. Logged and shown, so it contains no value that may be secret. */
export interface ProfileProblem {
  readonly file: string;
  /** Such as `destinations[0].base_url`. Null for the whole file. */
  readonly field: string | null;
  readonly message: string;
  /** What to do, without a full stop, if not to correct the file. */
  readonly remedy?: string;
  /** True if the next attempt may succeed without a change to the file. */
  readonly isTransient?: boolean;
  /** True for a file of the product, which should not be edited. */
  readonly isShipped?: boolean;
  readonly profile: string | undefined;
}

export type FileProblem = Omit<ProfileProblem, 'file' | 'profile'>;

/** Limit of errors listed per file, which can have 20,000. */
const MAX_FIELDS = 20;
/** Longest field name and longest value shown, in characters. A key may fill the file. */
const MAX_FIELD = 80;
const MAX_FOUND = 60;

/** Fields whose values can be shown. The others may contain secrets. */
const SHOWN =
  /^(?:name|source|mode|resolution|page_size|max_pages|processing|assembly|timeout_seconds|trigger)\b/;

export function wholeFile(what: string): FileProblem {
  return { field: null, message: `The file ${what}.` };
}

/** One problem per field. `text` is the file, used to find the lines of unknown keys. */
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

/** Formats a path, such as `destinations[0].base_url`. */
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

/** The first line with this key, probably the one meant. */
function lineOf(path: readonly (string | number)[], text: string): string {
  const key = String(path.at(-1)).replaceAll(/[^\w-]/g, '.');
  if (key.length > MAX_FIELD) return '';
  const isKey = new RegExp(`(?:^|[\\s{,-])["']?${key}["']?\\s*:`);
  const line = text.split('\n').findIndex((one) => isKey.test(one));
  return line === -1 ? '' : ` (line ${line + 1})`;
}

/** Why a file could not be read, without the excerpts that the parser would show. */
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
  // Text after a quote or bracket comes from the file.
  return wholeFile(`is not valid YAML (${line}${error.reason.replace(/\s*[!"'`<].*$/s, '')})`);
}
