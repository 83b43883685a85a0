/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../scan/screen.js').ScreenState} ScreenState
 */

/**
 * Opens pages in the viewer, which is loaded on demand. Keeps the undo history of the scan.
 * @param {object} screen
 * @param {AbortSignal} screen.signal aborted when the page shows something else
 * @param {(change: Partial<ScreenState>) => void} screen.show
 * @param {(request: import('../types.d.ts').ScanRequest) => void} screen.run
 * @param {() => void} screen.onLost called if the viewer could not be loaded
 */
export function createLarge({ signal, show, run, onLost }) {
  /** @type {import('../types.d.ts').EditHistory} */
  const history = { undos: [], redos: [] };
  /** @type {(scan: ScanView) => void} */
  let update = () => {};

  /**
   * @param {ScanView} scan
   * @param {number} page
   */
  async function open(scan, page) {
    try {
      const { openViewer } = await import('../later.js');
      if (signal.aborted) return;
      const onChange = (/** @type {ScanView} */ now) =>
        show({ scan: now, error: undefined, refusal: undefined });
      update = openViewer({ scan, page, history, signal, onChange, run });
    } catch {
      onLost();
    }
  }

  return {
    open,
    /**
     * Shows the page that replaced another one, so that the replacement can be undone.
     * @param {ScanView | undefined} scan
     * @param {unknown} page the replaced one
     */
    openReplaced: (scan, page) => {
      const by = typeof page === 'number' ? scan?.replaced[page] : undefined;
      if (!scan || typeof page !== 'number' || by === undefined || by === page) return;
      history.undos.push({ page, edit: { restored: true } });
      void open(scan, by);
    },
    /** @param {ScanView} scan */
    update: (scan) => update(scan),
  };
}
