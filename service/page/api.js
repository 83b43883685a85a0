/**
 * @template Body
 * @typedef {import('./types.d.ts').Answer<Body>} Answer
 */

/** The service did not answer. Not one of its own codes. */
const UNREACHABLE = { error: 'unreachable', message: '' };

/** In milliseconds. A dead network closes no connection; the slowest response takes 10 s. */
const ANSWER_MS = 15_000;

/**
 * GETs a JSON body. Status 0 if the service does not answer.
 * @param {string} path
 * @returns {Promise<Answer<any>>}
 */
export function get(path) {
  return call(path, {});
}

/**
 * POSTs or PATCHes a JSON body. Status 0 if the service does not answer.
 * @param {string} path
 * @param {object} body
 * @param {'POST' | 'PATCH'} [method]
 * @returns {Promise<Answer<any>>}
 */
export function post(path, body, method = 'POST') {
  return call(path, {
    method,
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  });
}

/**
 * DELETEs a resource, optionally at a revision.
 * @param {string} path
 * @param {string | null} [revision]
 */
export function remove(path, revision) {
  return call(path, { method: 'DELETE', headers: revision ? { 'If-Match': `"${revision}"` } : {} });
}

/**
 * Sends any request. Status 0 if the service does not answer.
 * @param {string} path
 * @param {RequestInit} request
 * @returns {Promise<Answer<any>>}
 */
export async function call(path, request) {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), ANSWER_MS);
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
  /* A proxy may respond with its own page. */
  return { status: response.status, body: response.ok ? {} : UNREACHABLE };
}
