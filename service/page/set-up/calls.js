import { call } from '../api.js';
import { explain, language, texts } from '../texts/texts.js';
import { words } from './texts.js';

/**
 * @template Body
 * @typedef {import('../types.d.ts').Answer<Body>} Answer
 */

/**
 * Body of a failed call. `text` is what the set-up shows instead of `message`.
 * @typedef {{ error: string, message: string, text?: Record<'en' | 'de', string>, fixed_by?: string }} Problem
 */

/** Time limit of a call, in milliseconds. The search for scanners takes half a minute. */
const ANSWER_MS = 60_000;

/**
 * Calls the service. The status is 0 if the service does not answer.
 * @param {string} method
 * @param {string} path
 * @param {object} [body]
 * @returns {Promise<Answer<any>>}
 */
export function ask(method, path, body) {
  const json = { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
  return call(path, { method, ...(body && json) }, ANSWER_MS);
}

/** @param {Answer<any>} answer */
export function isGood({ status }) {
  return status >= 200 && status < 300;
}

/**
 * The cause of a failed call and what to do, in the language of the page.
 * @param {Answer<any>} answer
 * @returns {string}
 */
export function problemText({ body }) {
  /** @type {Problem} */
  const { error, message, text, fixed_by: fixedBy } = body;
  if (text !== undefined) return text[language];
  if (fixedBy !== undefined) return words.fixedBy(fixedBy);
  if (Object.hasOwn(words.problems, error)) return String(words.problems[error]);
  const [title, advice] = explain(error) ?? [texts.unknownError, message];
  return `${title}. ${advice}`;
}
