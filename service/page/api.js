/**
 * @template Body
 * @typedef {import('./types.d.ts').Answer<Body>} Answer
 */

/** The page's own error code, for a service that does not answer. */
const UNREACHABLE = { error: 'unreachable', message: '' };

/** Time limit of a request, in ms: dead networks keep connections open, and responses take 10 s. */
const ANSWER_MS = 15_000;

/**
 * Sends a GET request; see `call`.
 * @param {string} path
 * @returns {Promise<Answer<any>>}
 */
export function get(path) {
  return call(path, {});
}

/**
 * Sends a JSON body. Status 0 if the service does not answer.
 * @param {string} path
 * @param {object | undefined} body
 * @param {'POST' | 'PATCH' | 'PUT' | 'DELETE'} [method]
 * @param {string | null} [revision] the resource is changed only if it still has this revision
 * @returns {Promise<Answer<any>>}
 */
export function post(path, body, method = 'POST', revision) {
  return call(path, {
    method,
    headers: {
      'Content-Type': 'application/json',
      ...(revision && { 'If-Match': `"${revision}"` }),
    },
    body: JSON.stringify(body),
  });
}

/**
 * @param {string} path
 * @param {RequestInit} request
 * @param {number} [limitMs]
 * @returns {Promise<Answer<any>>}
 */
export async function call(path, request, limitMs = ANSWER_MS) {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), limitMs);
  try {
    return await readAnswer(await fetch(path, { ...request, signal: limit.signal }));
  } catch {
    return { status: 0, body: UNREACHABLE };
  } finally {
    clearTimeout(timer);
  }
}

/**
 * @param {Response} response
 * @returns {Promise<Answer<any>>}
 */
export async function readAnswer(response) {
  const isJson = (response.headers.get('Content-Type') ?? '').startsWith('application/json');
  if (isJson) return { status: response.status, body: await response.json() };
  if (response.status === 204) return { status: 204, body: {} };
  /* A proxy may respond with its own HTML page. */
  return { status: response.status, body: response.ok ? {} : UNREACHABLE };
}
