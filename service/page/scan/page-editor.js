import { editPage, inverseOf } from './edit.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').PageEdit} PageEdit
 * @typedef {import('../types.d.ts').ErrorBody} ErrorBody
 */

/**
 * Sends edits one at a time. Each applies to the scan as it is when its turn comes.
 * @param {object} parts
 * @param {import('../types.d.ts').Undo[]} parts.undos the inverse edits, oldest first; this editor adds to them
 * @param {AbortSignal} parts.signal
 * @param {() => ScanView} parts.scan the current scan
 * @param {(edited: import('./edit.js').Edited) => void} parts.onEdited also called if the edit was refused
 */
export function createPageEditor({ undos, signal, scan, onEdited }) {
  /** @type {Promise<unknown>} */
  let last = Promise.resolve();

  /**
   * @template Result
   * @param {() => Promise<Result>} work never rejects
   * @returns {Promise<Result>}
   */
  function inTurn(work) {
    const done = last.then(work);
    last = done;
    return done;
  }

  /**
   * @param {number} page
   * @param {PageEdit | undefined} change
   */
  async function make(page, change) {
    if (!change || signal.aborted) return false;
    const before = scan();
    const edited = await editPage(before.scan_id, page, change);
    if (signal.aborted) return false;
    if (!edited.error) undos.push(inverseOf(before, page, change));
    onEdited(edited);
    return !edited.error;
  }

  return {
    /**
     * @param {number} page
     * @param {import('./edit.js').Change} change
     */
    make: (page, change) => inTurn(() => make(page, change(scan(), page))),
    /** Undoes the last edit. Resolves with its page, or undefined if there is none. */
    undo: () =>
      inTurn(async () => {
        const latest = undos.pop();
        if (!latest) return undefined;
        const isMade = await make(latest.page, latest.edit);
        /* Drops the inverse that `make` has just added. */
        if (isMade) undos.pop();
        else undos.push(latest);
        return isMade ? latest.page : undefined;
      }),
  };
}
