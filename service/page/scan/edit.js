import { get, post } from '../api.js';
import { viewOf } from './scan-view.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ErrorBody} ErrorBody
 * @typedef {import('../types.d.ts').PageEdit} PageEdit
 * @typedef {{ scan: ScanView | undefined, error: ErrorBody | undefined }} Edited
 */

/**
 * Edits a page. Resolves with the scan as it is then, also where the service refused, and why it did.
 * @param {string} id
 * @param {number} page
 * @param {PageEdit} edit
 * @returns {Promise<Edited>}
 */
export function editPage(id, page, edit) {
  return change(id, `pages/${page}`, edit, 'PATCH');
}

/**
 * Marks a scan as not to be filed, or takes that back. Resolves as `editPage` does.
 * @param {string} id
 * @param {boolean} discarded
 * @returns {Promise<Edited>}
 */
export function discard(id, discarded) {
  return change(id, 'discard', { discarded }, 'POST');
}

/**
 * @param {string} id
 * @param {string} path
 * @param {object} body
 * @param {'POST' | 'PATCH'} method
 * @returns {Promise<Edited>}
 */
async function change(id, path, body, method) {
  const made = await post(`scans/${id}/${path}`, body, method);
  const now = await get(`scans/${id}`);
  return {
    scan: now.status === 200 ? viewOf(now.body) : undefined,
    error: made.status === 200 ? undefined : made.body,
  };
}

/**
 * The edit that takes another one back.
 * @param {ScanView} scan before that one
 * @param {number} page
 * @param {PageEdit} edit
 * @returns {PageEdit}
 */
export function inverseOf({ edits, pages }, page, edit) {
  const was = edits.find((one) => one.page === page);
  if (edit.left_out !== undefined) return { left_out: was?.leftOut ?? false };
  if (edit.turn !== undefined) return { turn: was?.turn ?? 0 };
  if (edit.starts_document !== undefined) return { starts_document: was?.starts ?? false };
  return { before: pages[pages.indexOf(page) + 1] ?? null };
}
