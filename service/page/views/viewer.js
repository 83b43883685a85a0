import { showDialog } from '../element.js';
import { cropping, leavingOut, moving, starting, turning } from '../scan/edit.js';
import { createPageEditor } from '../scan/page-editor.js';
import { explain, texts } from '../texts/texts.js';
import { createCropTools } from './crop-tools.js';
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
  const editOf = () => scan.edits[scan.pages.indexOf(page)];
  const draw = () => {
    drawParts(parts, scan, page, undos.length > 0);
    cropTools.draw(editOf()?.crop ?? null);
  };
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
    crop: () => cropTools.open(editOf()?.proposed ?? null, (crop) => edit(cropping(crop))),
    close: () => dialog.close(),
  });
  const { dialog } = parts;
  const cropTools = createCropTools(parts);

  async function undo() {
    page = (await editor.undo()) ?? page;
    draw();
  }

  /** @param {number} step */
  function go(step) {
    page = scan.pages[scan.pages.indexOf(page) + step] ?? page;
    parts.said.textContent = '';
    if (cropTools.isOpen()) cropTools.end();
    parts.stage.scrollTo(0, 0);
    draw();
  }

  signal.addEventListener('abort', () => dialog.close());
  dialog.addEventListener('close', () => leave(parts, cropTools.close, page));
  listen(parts, cropTools, go);
  showDialog(dialog);
  draw();
  parts.close.focus();
  return (now) => {
    scan = now;
    if (!scan.pages.includes(page)) dialog.close();
    else if (dialog.open) draw();
  };
}

/**
 * The keyboard goes on from the page that was shown last.
 * @param {ReturnType<typeof createParts>} parts
 * @param {() => void} close
 * @param {number} page
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

/** A finger that goes this far sideways asks for another page. In pixels. */
const SWIPE_PX = 50;

/**
 * Keys and fingers that go to another page, unless a page larger than the screen or a crop is moved with them.
 * @param {ReturnType<typeof createParts>} parts
 * @param {ReturnType<typeof createCropTools>} cropTools
 * @param {(step: number) => void} move
 */
function listen({ dialog, stage }, cropTools, move) {
  let from = 0;
  const go = (/** @type {number} */ step) => cropTools.isOpen() || move(step);
  dialog.addEventListener('cancel', (event) => {
    if (!cropTools.isOpen()) return;
    event.preventDefault();
    cropTools.end();
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
