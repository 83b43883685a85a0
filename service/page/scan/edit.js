import { get, post } from '../api.js';
import { viewOf } from './scan-view.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ErrorBody} ErrorBody
 * @typedef {import('../types.d.ts').PageEdit} PageEdit
 * @typedef {{ scan: ScanView | undefined, error: ErrorBody | undefined }} Edited
 */

/**
 * Edits a page. Resolves with the current scan, and with the error if the service refused.
 * @param {string} id
 * @param {number} page
 * @param {PageEdit} edit
 * @returns {Promise<Edited>}
 */
export function editPage(id, page, edit) {
  return change(id, `pages/${page}`, edit, 'PATCH');
}

/**
 * Discards or restores a scan. Resolves like `editPage`.
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
 * Computes the edit of a page from the current scan. Undefined if nothing is to change.
 * @typedef {(scan: ScanView, page: number) => PageEdit | undefined} Change
 */

/**
 * @param {ScanView} scan
 * @param {number} page
 */
function was({ edits }, page) {
  return edits.find((one) => one.page === page);
}

/** @type {Change} */
export const leavingOut = (scan, page) => ({ left_out: !was(scan, page)?.leftOut });

/** @type {Change} */
export const turning = (scan, page) => ({ turn: ((was(scan, page)?.turn ?? 0) + 90) % 360 });

/** @type {Change} */
export const starting = (scan, page) => ({ starts_document: !was(scan, page)?.starts });

/**
 * @param {number} step
 * @returns {Change}
 */
export function moving(step) {
  return ({ pages }, page) => {
    const others = pages.filter((other) => other !== page);
    const place = pages.indexOf(page) + step;
    return place >= 0 && place <= others.length ? { before: others[place] ?? null } : undefined;
  };
}

/**
 * @param {import('../types.d.ts').Crop | null} crop
 * @returns {Change}
 */
export function cropping(crop) {
  return () => ({ crop });
}

/** @type {Change} */
export const restoring = () => ({ restored: true });

/**
 * The edit that undoes `edit`.
 * @param {ScanView} scan before `edit`
 * @param {number} page
 * @param {PageEdit} edit
 * @returns {import('../types.d.ts').Undo}
 */
export function inverseOf(scan, page, edit) {
  if (edit.restored) return { page: scan.replaced[page] ?? page, edit };
  return { page, edit: valuesBefore(scan, page, edit) };
}

/**
 * @param {ScanView} scan
 * @param {number} page
 * @param {PageEdit} edit
 * @returns {PageEdit}
 */
function valuesBefore(scan, page, edit) {
  const { leftOut = false, crop = null, turn = 0, starts = false } = was(scan, page) ?? {};
  const { pages } = scan;
  if (edit.left_out !== undefined) return { left_out: leftOut };
  if (edit.crop !== undefined) return { crop };
  if (edit.turn !== undefined) return { turn };
  if (edit.starts_document !== undefined) return { starts_document: starts };
  return { before: pages[pages.indexOf(page) + 1] ?? null };
}
