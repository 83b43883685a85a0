import { element, icon } from '../element.js';
import { isEditable } from '../scan/scan-view.js';
import { later } from '../texts/later.js';
import { texts } from '../texts/texts.js';

/**
 * What the buttons of the viewer do.
 * @typedef {object} Presses
 * @property {(step: number) => void} go
 * @property {(step: number) => void} move
 * @property {() => void} leaveOut
 * @property {() => void} turn
 * @property {() => void} starts
 * @property {() => void} undo
 * @property {() => void} crop
 * @property {() => void} close
 */

/**
 * The elements of the viewer.
 * @param {Presses} presses
 */
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
    /* What is larger than the screen is scrolled with the keys too. */
    stage.tabIndex = isZoomed ? 0 : -1;
  });
  const close = iconButton('cross', later.close, presses.close);
  const made = createTools(presses);
  const tools = element('div', { class: 'tools' }, ...Object.values(made));
  const extra = element('div', { class: 'tools', hidden: true });
  const dialog = element(
    'dialog',
    { class: 'viewer', 'aria-labelledby': 'viewer-title' },
    element('header', {}, element('div', {}, title, said), zoom, previous, next, close),
    stage,
    tools,
    extra,
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
    extra,
  };
}

/**
 * What can be done to a page, in the order of the buttons.
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
    undo: button(presses.undo, later.undo),
  };
}

/**
 * Shows a page in them.
 * @param {ReturnType<typeof createParts>} parts
 * @param {import('../types.d.ts').ScanView} scan
 * @param {number} page
 * @param {boolean} isUndoable
 */
export function drawParts(parts, scan, page, isUndoable) {
  const { image, previous, next, moveEarlier, moveLater } = parts;
  const place = scan.pages.indexOf(page);
  const { leftOut = false, starts = false } = scan.edits[place] ?? {};
  setText(parts.title, titleOf(scan, place));
  const src = `scans/${scan.scan_id}/pages/${page}/preview?size=large`;
  if (image.getAttribute('src') !== src) image.src = src;
  image.className = `turned-${scan.turned[page] ?? 0}`;
  image.classList.toggle('left-out', leftOut);
  parts.tools.hidden = !isEditable(scan);
  setText(parts.leaveOut, leftOut ? later.putBack : later.leaveOut);
  setText(parts.starts, starts ? later.noNewDocument : later.newDocument);
  for (const one of [previous, moveEarlier]) setOff(one, place <= 0);
  for (const one of [next, moveLater]) setOff(one, place === scan.pages.length - 1);
  setOff(parts.undo, !isUndoable);
}

/**
 * @param {import('../types.d.ts').ScanView} scan
 * @param {number} place of the page
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
 * Not `disabled`, which would lose the focus.
 * @param {Element} changed
 * @param {boolean} isOff
 */
function setOff(changed, isOff) {
  changed.setAttribute('aria-disabled', String(isOff));
}
