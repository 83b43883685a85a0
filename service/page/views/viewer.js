import { leavingOut, moving, starting, turning } from '../scan/edit.js';
import { createPageEditor } from '../scan/page-editor.js';
import { explain, texts } from '../texts/texts.js';
import { createParts, drawParts } from './viewer-parts.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 */

/**
 * Opens a page large, with what can be done to it before it is filed. The rest of the page is out of reach until it is closed, by
 * its button or Escape; the focus then goes to the page that was shown last.
 * @param {object} opened
 * @param {ScanView} opened.scan
 * @param {number} opened.page
 * @param {import('../types.d.ts').Undo[]} opened.undos the edits that take back those made so far; more are added
 * @param {AbortSignal} opened.signal closes it
 * @param {(scan: ScanView) => void} opened.onChange an edit was made or refused, and the scan is now this
 * @returns {(scan: ScanView) => void} shows the scan as it is now
 */
export function openViewer({ scan: first, page: firstPage, undos, signal, onChange }) {
  let scan = first;
  let page = firstPage;
  const draw = () => drawParts(parts, scan, page, undos.length > 0);
  /** @param {import('../scan/edit.js').Change} change of the page that is shown now */
  const edit = (change) => void editor.make(page, change);
  const editor = createPageEditor({
    undos,
    signal,
    scan: () => scan,
    onEdited: ({ scan: now, error }) => {
      parts.said.textContent = error ? refusalText(error.error) : '';
      if (now) onChange(now);
    },
  });
  const parts = createParts({
    go,
    move: (step) => edit(moving(step)),
    leaveOut: () => edit(leavingOut),
    turn: () => edit(turning),
    starts: () => edit(starting),
    undo: () => void undo(),
    close: () => dialog.close(),
  });
  const { dialog } = parts;

  async function undo() {
    page = (await editor.undo()) ?? page;
    draw();
  }

  /** @param {number} step */
  function go(step) {
    page = scan.pages[scan.pages.indexOf(page) + step] ?? page;
    parts.said.textContent = '';
    parts.stage.scrollTo(0, 0);
    draw();
  }

  document.body.append(dialog);
  signal.addEventListener('abort', () => dialog.close());
  dialog.addEventListener('close', () => {
    dialog.remove();
    document.getElementById(`page-${page}`)?.querySelector('button')?.focus();
  });
  listen(parts, go);
  draw();
  dialog.showModal();
  parts.close.focus();
  return (now) => {
    scan = now;
    if (!scan.pages.includes(page)) dialog.close();
    else if (dialog.open) draw();
  };
}

/** @param {string} code */
function refusalText(code) {
  return (explain(code) ?? [texts.unknownError]).join('. ');
}

/** A finger that goes this far sideways asks for another page. In pixels. */
const SWIPE_PX = 50;

/**
 * Keys and fingers that go to another page, unless a page larger than the screen is moved about with them.
 * @param {ReturnType<typeof createParts>} parts
 * @param {(step: number) => void} go
 */
function listen({ dialog, stage }, go) {
  let from = 0;
  const isZoomed = () =>
    stage.classList.contains('zoomed') || (window.visualViewport?.scale ?? 1) > 1;
  dialog.addEventListener('keydown', ({ key }) => {
    if (document.activeElement === stage) return;
    if (key === 'ArrowLeft') go(-1);
    if (key === 'ArrowRight') go(1);
  });
  stage.addEventListener('pointerdown', ({ isPrimary, clientX }) => {
    if (isPrimary) from = clientX;
  });
  stage.addEventListener('pointerup', ({ isPrimary, clientX }) => {
    const way = clientX - from;
    if (isPrimary && !isZoomed() && Math.abs(way) > SWIPE_PX) go(way < 0 ? 1 : -1);
  });
  stage.addEventListener('dragstart', (event) => event.preventDefault());
}
