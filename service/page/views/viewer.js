import { showDialog } from '../element.js';
import { cropping, leavingOut, moving, restoring, starting, turning } from '../scan/edit.js';
import { createPageEditor } from '../scan/page-editor.js';
import { explain, texts } from '../texts/texts.js';
import { askToScanAgain } from './again.js';
import { createCropTools } from './crop-tools.js';
import { createParts, drawParts, resetParts } from './viewer-parts.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 */

/**
 * Opens a page in a modal viewer, where it can be edited. Closing the viewer focuses the preview of
 * the last shown page.
 * @param {object} opened
 * @param {ScanView} opened.scan
 * @param {number} opened.page
 * @param {import('../types.d.ts').EditHistory} opened.history the viewer adds to it
 * @param {AbortSignal} opened.signal closes it
 * @param {(scan: ScanView) => void} opened.onChange called after an edit was made or refused
 * @param {(request: import('../types.d.ts').ScanRequest) => void} opened.run sends a scan request
 * @returns {(scan: ScanView) => void} shows the changed scan
 */
export function openViewer({ scan: first, page: firstPage, history, signal, onChange, run }) {
  let scan = first;
  let page = firstPage;
  const editOf = () => scan.edits[scan.pages.indexOf(page)];
  const draw = () => {
    drawParts(parts, scan, page, history);
    cropTools.draw(editOf()?.crop ?? null);
  };
  /** @type {(change: import('../scan/edit.js').Change, edited?: number) => void} */
  const edit = (change, edited = page) => void editor.make(edited, change);
  const editor = createPageEditor({
    history,
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
    undo: () => void goTo(editor.undo()),
    redo: () => void goTo(editor.redo()),
    crop: () => cropTools.open(editOf()?.proposed ?? null, (crop) => edit(cropping(crop))),
    scanAgain: () => editOf()?.leftOut || void askToScanAgain(parts, scan, page, run),
    restore: () => edit(restoring, editOf()?.other),
    close: () => dialog.close(),
  });
  const { dialog } = parts;
  const cropTools = createCropTools(parts);
  /** @param {Promise<number | undefined>} edited */
  async function goTo(edited) {
    page = (await edited) ?? page;
    draw();
  }

  /** @param {number} step */
  function go(step) {
    page = scan.pages[scan.pages.indexOf(page) + step] ?? page;
    resetParts(parts);
    draw();
  }

  signal.addEventListener('abort', () => dialog.close());
  dialog.addEventListener('close', () => leave(parts, cropTools.close, signal.aborted ? 0 : page));
  listen(parts, go);
  showDialog(dialog);
  draw();
  parts.close.focus();
  return (now) => {
    scan = now;
    page = now.replaced[page] ?? page;
    if (!scan.pages.includes(page)) dialog.close();
    else if (dialog.open) draw();
  };
}

/**
 * @param {ReturnType<typeof createParts>} parts
 * @param {() => void} close
 * @param {number} page the last shown one, which gets the focus
 */
function leave({ dialog }, close, page) {
  close();
  dialog.remove();
  document.getElementById(`page-${page}`)?.querySelector('button')?.focus();
}

/** @param {string} code */
function refusalText(code) {
  return (explain(code) ?? [texts.unknownError]).join('. ');
}

/** Minimum length of a swipe, in pixels. */
const SWIPE_PX = 50;

/**
 * Goes to another page on arrow keys and swipes, except while a tool is open or a zoomed page
 * scrolls.
 * @param {ReturnType<typeof createParts>} parts
 * @param {(step: number) => void} move
 */
function listen({ dialog, stage, drawer }, move) {
  let from = 0;
  const go = (/** @type {number} */ step) => drawer.isOpen() || move(step);
  dialog.addEventListener('cancel', (event) => {
    if (!drawer.isOpen()) return;
    event.preventDefault();
    drawer.end();
  });
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
