import { editPage, inverseOf } from './edit.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').PageEdit} PageEdit
 * @typedef {import('../types.d.ts').ErrorBody} ErrorBody
 */

/**
 * Edits pages one after the other: each edit is made for the pages as they are seen, and a press during one is passed over.
 * @param {object} parts
 * @param {import('../types.d.ts').Undo[]} parts.undos the edits that take back those made so far; more are added
 * @param {AbortSignal} parts.signal
 * @param {(edited: import('./edit.js').Edited) => void} parts.onEdited also called where the edit was refused
 */
export function createPageEditor({ undos, signal, onEdited }) {
  let isBusy = false;

  /**
   * @param {ScanView} scan
   * @param {number} page
   * @param {PageEdit} change
   */
  async function make(scan, page, change) {
    if (isBusy) return false;
    isBusy = true;
    const edited = await editPage(scan.scan_id, page, change);
    isBusy = false;
    if (signal.aborted) return false;
    if (!edited.error) undos.push({ page, edit: inverseOf(scan, page, change) });
    onEdited(edited);
    return !edited.error;
  }

  return {
    make,
    /**
     * Takes the last edit back. Resolves with its page; undefined where nothing was taken back.
     * @param {ScanView} scan
     */
    undo: async (scan) => {
      const last = undos[undos.length - 1];
      if (!last || isBusy) return undefined;
      undos.pop();
      const isMade = await make(scan, last.page, last.edit);
      /* Taking it back is no edit that is taken back in turn. */
      if (isMade) undos.pop();
      else undos.push(last);
      return isMade ? last.page : undefined;
    },
  };
}
