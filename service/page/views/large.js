/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../scan/screen.js').ScreenState} ScreenState
 */

/**
 * Opens pages of one scan large, and remembers the edits for taking them back. The viewer is loaded when it is first needed.
 * @param {object} screen
 * @param {AbortSignal} screen.signal aborted when something else is shown
 * @param {(change: Partial<ScreenState>) => void} screen.show
 * @param {() => void} screen.onLost the viewer could not be loaded
 */
export function createLarge({ signal, show, onLost }) {
  /** @type {import('../types.d.ts').Undo[]} */
  const undos = [];
  /** @type {(scan: ScanView) => void} */
  let update = () => {};
  return {
    /**
     * @param {ScanView} scan
     * @param {number} page
     */
    open: async (scan, page) => {
      try {
        const { openViewer } = await import('./viewer.js');
        if (signal.aborted) return;
        const onChange = (/** @type {ScanView} */ now) =>
          show({ scan: now, error: undefined, refusal: undefined });
        update = openViewer({ scan, page, undos, signal, onChange });
      } catch {
        onLost();
      }
    },
    /** @param {ScanView} scan */
    update: (scan) => update(scan),
  };
}
