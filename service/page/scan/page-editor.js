import { editPage, inverseOf } from './edit.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').PageEdit} PageEdit
 * @typedef {import('../types.d.ts').ErrorBody} ErrorBody
 */

/**
 * Edits pages one at a time. A press during an edit waits, then applies to the current scan.
 * @param {object} parts
 * @param {import('../types.d.ts').Undo[]} parts.undos the edits that take back those made so far; more are added
 * @param {AbortSignal} parts.signal
 * @param {() => ScanView} parts.scan as it is now
 * @param {(edited: import('./edit.js').Edited) => void} parts.onEdited also called where the edit was refused
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
     * @param {import('./edit.js').Change} change of the scan as it is when it is its turn
     */
    make: (page, change) => inTurn(() => make(page, change(scan(), page))),
    /** Undoes the last edit. Resolves with its page, or undefined if there was none. */
    undo: () =>
      inTurn(async () => {
        const latest = undos.pop();
        if (!latest) return undefined;
        const isMade = await make(latest.page, latest.edit);
        /* Undoing is not itself undoable. */
        if (isMade) undos.pop();
        else undos.push(latest);
        return isMade ? latest.page : undefined;
      }),
  };
}
