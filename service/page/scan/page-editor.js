import { editPage, inverseOf } from './edit.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').PageEdit} PageEdit
 * @typedef {import('../types.d.ts').ErrorBody} ErrorBody
 */

/**
 * Sends edits one at a time. Each applies to the scan as it is when its turn comes.
 * @param {object} parts
 * @param {import('../types.d.ts').EditHistory} parts.history this editor adds to it
 * @param {AbortSignal} parts.signal
 * @param {() => ScanView} parts.scan the current scan
 * @param {(edited: import('./edit.js').Edited) => void} parts.onEdited also called if the edit was refused
 */
export function createPageEditor({ history: { undos, redos }, signal, scan, onEdited }) {
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
   * @param {import('../types.d.ts').Undo[]} inverses gets the edit that takes this one back
   */
  async function make(page, change, inverses) {
    if (!change || signal.aborted) return false;
    const before = scan();
    const edited = await editPage(before.scan_id, page, change);
    if (signal.aborted) return false;
    if (!edited.error) inverses.push(inverseOf(before, page, change));
    onEdited(edited);
    return !edited.error;
  }

  /**
   * Makes the latest of `edits`. Resolves with its page, or undefined if there was none or the edit
   * was refused.
   * @param {import('../types.d.ts').Undo[]} edits
   * @param {import('../types.d.ts').Undo[]} inverses
   */
  async function makeLatest(edits, inverses) {
    const latest = edits.pop();
    if (!latest) return undefined;
    if (await make(latest.page, latest.edit, inverses)) return latest.page;
    edits.push(latest);
    return undefined;
  }

  return {
    /**
     * @param {number} page
     * @param {import('./edit.js').Change} change
     */
    make: (page, change) =>
      inTurn(() => {
        redos.length = 0;
        return make(page, change(scan(), page), undos);
      }),
    undo: () => inTurn(() => makeLatest(undos, redos)),
    redo: () => inTurn(() => makeLatest(redos, undos)),
  };
}
