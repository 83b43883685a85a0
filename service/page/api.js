/**
 * @template Body
 * @typedef {import('./types.d.ts').Answer<Body>} Answer
 */

/** Said where the service does not answer at all. It is no code of the service. */
const UNREACHABLE = { error: 'unreachable', message: '' };

/** A network that lets nothing through ends no connection. The slowest answer, the self-test, takes 10 seconds. In milliseconds. */
const ANSWER_MS = 15_000;

/**
 * GET of a JSON body; status 0 where the service does not answer.
 * @param {string} path
 * @returns {Promise<Answer<any>>}
 */
export function get(path) {
  return call(path, {});
}

/**
 * POST of a JSON body, or another method; status 0 where the service does not answer.
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
 * DELETE of what has that revision.
 * @param {string} path
 * @param {string | null} [revision]
 */
export function remove(path, revision) {
  return call(path, { method: 'DELETE', headers: revision ? { 'If-Match': `"${revision}"` } : {} });
}

/**
 * Another request; status 0 where the service does not answer.
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
  /* A proxy may answer for the service, with a page of its own. */
  return { status: response.status, body: response.ok ? {} : UNREACHABLE };
}
