import { element, icon } from '../element.js';
import { isEditable } from '../scan/scan-view.js';
import { later } from '../texts/later.js';
import { texts } from '../texts/texts.js';

/**
 * What the viewer's buttons do.
 * @typedef {object} Presses
 * @property {(step: number) => void} go shows the previous (-1) or next (1) page
 * @property {(step: number) => void} move moves this page one place earlier (-1) or later (1)
 * @property {() => void} leaveOut leaves the page out of the document, or puts it back
 * @property {() => void} turn
 * @property {() => void} starts makes this page the first of a new document, or undoes that
 * @property {() => void} undo
 * @property {() => void} redo
 * @property {() => void} crop
 * @property {() => void} scanAgain
 * @property {() => void} restore uses the other scan of a page that was scanned twice
 * @property {() => void} close
 */

/** @param {Presses} presses */
export function createParts(presses) {
  const title = element('h2', { id: 'viewer-title', 'aria-live': 'polite' });
  const said = element('p', { class: 'facts', role: 'status' });
  const image = element('img', { alt: '' });
  const stage = element('div', { class: 'stage' }, image);
  const previous = iconButton('back', later.previousPage, () => presses.go(-1));
  const next = iconButton('next', later.nextPage, () => presses.go(1));
  const zoom = iconButton('zoom', later.zoom, () => {
    const isZoomed = stage.classList.toggle('zoomed');
    zoom.setAttribute('aria-pressed', String(isZoomed));
    /* Makes a zoomed page scrollable with the keyboard. */
    stage.tabIndex = isZoomed ? 0 : -1;
  });
  const close = iconButton('cross', later.close, presses.close);
  const made = createTools(presses);
  const tools = element('div', { class: 'tools' }, ...Object.values(made));
  const drawer = createDrawer(tools);
  const dialog = element(
    'dialog',
    { class: 'viewer', 'aria-labelledby': 'viewer-title' },
    element('header', {}, element('div', {}, title, said), zoom, previous, next, close),
    stage,
    tools,
    drawer.element,
  );
  return {
    title,
    said,
    image,
    stage,
    previous,
    next,
    close,
    dialog,
    ...made,
    tools,
    drawer,
  };
}

/**
 * Temporarily replaces the tools with other controls.
 * @param {HTMLElement} tools
 */
function createDrawer(tools) {
  const drawer = element('div', { class: 'tools', hidden: true });
  let onEnd = () => {};
  const isOpen = () => drawer.childElementCount > 0;

  /** @param {HTMLElement[]} shown */
  function show(...shown) {
    tools.classList.toggle('away', shown.length > 0);
    drawer.replaceChildren(...shown);
    drawer.toggleAttribute('hidden', shown.length === 0);
  }

  return {
    element: drawer,
    isOpen,
    /**
     * @param {HTMLElement[]} shown
     * @param {() => void} [ended] called when the tools are shown again
     */
    open: (shown, ended = () => {}) => {
      onEnd = ended;
      show(...shown);
    },
    end: () => {
      if (!isOpen()) return;
      show();
      onEnd();
    },
  };
}

/**
 * The buttons for editing a page, in display order.
 * @param {Presses} presses
 */
function createTools(presses) {
  return {
    leaveOut: button(presses.leaveOut),
    turn: button(presses.turn, later.turnPage),
    crop: button(presses.crop, later.crop),
    moveEarlier: button(() => presses.move(-1), later.moveEarlier),
    moveLater: button(() => presses.move(1), later.moveLater),
    starts: button(presses.starts),
    scanAgain: button(presses.scanAgain, later.scanAgain),
    restore: button(presses.restore),
    undo: button(presses.undo, later.undo),
    redo: button(presses.redo, later.redo),
  };
}

/**
 * Shows a page, with its title and tools.
 * @param {ReturnType<typeof createParts>} parts
 * @param {import('../types.d.ts').ScanView} scan
 * @param {number} page
 * @param {import('../types.d.ts').EditHistory} history
 */
export function drawParts(parts, scan, page, { undos, redos }) {
  const { image, previous, next, moveEarlier, moveLater } = parts;
  const place = scan.pages.indexOf(page);
  setText(parts.title, titleOf(scan, place));
  const src = `scans/${scan.scan_id}/pages/${page}/preview?size=large`;
  if (image.getAttribute('src') !== src) image.src = src;
  image.className = `turned-${scan.turned[page] ?? 0}`;
  drawTools(parts, scan, page);
  for (const one of [previous, moveEarlier]) setOff(one, place <= 0);
  for (const one of [next, moveLater]) setOff(one, place === scan.pages.length - 1);
  setOff(parts.undo, undos.length === 0);
  setOff(parts.redo, redos.length === 0);
}

/**
 * Resets messages, open controls and zoom before another page is shown.
 * @param {ReturnType<typeof createParts>} parts
 */
export function resetParts({ said, drawer, stage }) {
  said.textContent = '';
  drawer.end();
  stage.scrollTo(0, 0);
}

/**
 * @param {ReturnType<typeof createParts>} parts
 * @param {import('../types.d.ts').ScanView} scan
 * @param {number} page
 */
function drawTools({ image, tools, leaveOut, starts, scanAgain, restore }, scan, page) {
  const edit = scan.edits.find((one) => one.page === page);
  const isLeftOut = edit?.leftOut ?? false;
  image.classList.toggle('left-out', isLeftOut);
  tools.hidden = !isEditable(scan);
  setText(leaveOut, isLeftOut ? later.putBack : later.leaveOut);
  setText(starts, edit?.starts ? later.noNewDocument : later.newDocument);
  scanAgain.hidden = scan.state !== 'held';
  setOff(scanAgain, isLeftOut);
  const { other = 0 } = edit ?? {};
  restore.hidden = other === 0;
  setText(restore, other < page ? later.useEarlier : later.useNewer);
}

/**
 * @param {import('../types.d.ts').ScanView} scan
 * @param {number} place index of the page
 */
function titleOf({ pages, edits }, place) {
  const words = [later.place(place + 1, pages.length)];
  if (edits[place]?.leftOut) words.push(texts.personPage);
  if (edits[place]?.crop) words.push(texts.croppedPage);
  return words.join(' · ');
}

/**
 * @param {() => void} press
 * @param {string} [label]
 */
function button(press, label = '') {
  return element('button', { type: 'button', click: () => press() }, label);
}

/**
 * @param {Parameters<typeof icon>[0]} name
 * @param {string} label
 * @param {() => void} press
 */
function iconButton(name, label, press) {
  return element('button', { type: 'button', 'aria-label': label, click: press }, icon(name));
}

/**
 * @param {Element} changed
 * @param {string} text
 */
function setText(changed, text) {
  if (changed.textContent !== text) changed.textContent = text;
}

/**
 * Unlike `disabled`, keeps the focus on the element.
 * @param {Element} changed
 * @param {boolean} isOff
 */
function setOff(changed, isOff) {
  changed.setAttribute('aria-disabled', String(isOff));
}
