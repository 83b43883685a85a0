/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../scan/screen.js').ScreenState} ScreenState
 */

/**
 * Opens pages of a scan in the viewer, which is loaded on demand, and remembers edits to undo.
 * @param {object} screen
 * @param {AbortSignal} screen.signal aborted when something else is shown
 * @param {(change: Partial<ScreenState>) => void} screen.show
 * @param {(request: import('../types.d.ts').ScanRequest) => void} screen.run
 * @param {() => void} screen.onLost the viewer could not be loaded
 */
export function createLarge({ signal, show, run, onLost }) {
  /** @type {import('../types.d.ts').Undo[]} */
  const undos = [];
  /** @type {(scan: ScanView) => void} */
  let update = () => {};

  /**
   * @param {ScanView} scan
   * @param {number} page
   */
  async function open(scan, page) {
    try {
      const { openViewer } = await import('./viewer.js');
      if (signal.aborted) return;
      const onChange = (/** @type {ScanView} */ now) =>
        show({ scan: now, error: undefined, refusal: undefined });
      update = openViewer({ scan, page, undos, signal, onChange, run });
    } catch {
      onLost();
    }
  }

  return {
    open,
    /**
     * Shows the page that has taken the place of another one, which can be undone.
     * @param {ScanView | undefined} scan
     * @param {unknown} page that was scanned again
     */
    openReplaced: (scan, page) => {
      const by = typeof page === 'number' ? scan?.replaced[page] : undefined;
      if (!scan || typeof page !== 'number' || by === undefined || by === page) return;
      undos.push({ page, edit: { restored: true } });
      void open(scan, by);
    },
    /** @param {ScanView} scan */
    update: (scan) => update(scan),
  };
}
