import type Joi from 'joi';
import { YAMLException } from 'js-yaml';
import { errorCode, mayPass } from '../../helpers/error-code.ts';
import { UnreadableFile } from '../../helpers/plain-file.ts';

/** One thing that is wrong with a profile file. It is logged and shown: no value that may be secret is in it. */
export interface ProfileProblem {
  readonly file: string;
  /** Such as `destinations[0].base_url`; null for the file as a whole. */
  readonly field: string | null;
  /** One sentence. */
  readonly message: string;
  /** What to do, without a full stop, where it is not to correct the file. */
  readonly remedy?: string;
  /** It may be gone at the next look, though the file is the same. */
  readonly mayPass?: boolean;
  /** The file comes with the product, and is not to be edited. */
  readonly isShipped?: boolean;
  /** The profile that the file would have been. */
  readonly profile: string | undefined;
}

export type FileProblem = Omit<ProfileProblem, 'file' | 'profile'>;

/** Wrong fields of one file that are listed; it can have 20,000. */
const MAX_FIELDS = 20;
/** Longest name of a field and longest value that are shown, in characters: a key may fill the file. */
const MAX_FIELD = 80;
const MAX_FOUND = 60;

/** Fields whose values are shown: what a person puts there by mistake is no secret. */
const SHOWN =
  /^(?:name|source|mode|resolution|page_size|max_pages|processing|assembly|timeout_seconds|trigger)\b/;

export function wholeFile(what: string): FileProblem {
  return { field: null, message: `The file ${what}.` };
}

/** What joi found, as one problem per field. `text` is the file, for the lines of unknown keys. */
export function fieldProblems(
  details: readonly Joi.ValidationErrorItem[],
  text: string,
): FileProblem[] {
  const shown = details.slice(0, MAX_FIELDS).map((detail) => fieldProblem(detail, text));
  // A value may break several rules, which say the same.
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

/** `destinations[0].base_url` */
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

/** Where an unknown key probably is: the first line that has it as a key. */
function lineOf(path: readonly (string | number)[], text: string): string {
  const key = String(path.at(-1)).replaceAll(/[^\w-]/g, '.');
  if (key.length > MAX_FIELD) return '';
  const isKey = new RegExp(`(?:^|[\\s{,-])["']?${key}["']?\\s*:`);
  const line = text.split('\n').findIndex((one) => isKey.test(one));
  return line === -1 ? '' : ` (line ${line + 1})`;
}

/** Why a file could not be read, without the lines of it that the parser would show. */
export function unreadable(error: unknown): FileProblem {
  if (error instanceof UnreadableFile) {
    const late = { remedy: 'Check the disk or the network share that it lies on', mayPass: true };
    return { ...wholeFile(error.message), ...(error.code === 'ETIMEDOUT' && late) };
  }
  if (!(error instanceof YAMLException)) {
    const code = errorCode(error);
    const right = code === 'EACCES' && {
      remedy: 'Let the service read it, as with chmod 0644, or start the containers again',
    };
    const what = { ...wholeFile(`cannot be read (${code ?? 'unknown error'})`), ...right };
    return mayPass(error) ? { ...what, mayPass: true } : what;
  }
  const line = error.mark === undefined ? '' : `line ${error.mark.line + 1}: `;
  // What follows a quote or a bracket is from the file.
  return wholeFile(`is not valid YAML (${line}${error.reason.replace(/\s*[!"'`<].*$/s, '')})`);
}
