import { element } from '../element.js';
import { moved, resized, rounded } from '../scan/crop-geometry.js';
import { later } from '../texts/later.js';

/** @typedef {import('../types.d.ts').Crop} Crop */

/** What an arrow key moves, as a part of the page; five times that with Shift. */
const STEP = 0.01;

const CORNERS = /** @type {const} */ ([
  ['nw', -1, -1],
  ['ne', 1, -1],
  ['sw', -1, 1],
  ['se', 1, 1],
]);

/** @type {Partial<Record<string, [number, number]>>} */
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

/**
 * A frame over the page in the viewer: what is outside of it is cut off. It is moved by its corners or as a whole, with a finger or with
 * the arrow keys.
 * @param {HTMLElement} stage
 * @param {HTMLImageElement} image
 */
export function createFrame(stage, image) {
  /** @type {Crop} */
  let crop = { x: 0, y: 0, width: 1, height: 1, angle: 0 };
  /* Of the page as it is shown, in pixels. */
  let size = { width: 1, height: 1 };
  const box = element('div', { class: 'crop-box', role: 'group', 'aria-label': later.cropFrame });
  const frame = element('div', { class: 'crop', hidden: true }, box);
  const now = () => ({ crop, size });
  listen(box, now, (x, y, from) => draw(moved(from, x, y, size)));
  for (const [name, right, down] of CORNERS) {
    const handle = handleAt(name);
    listen(handle, now, (x, y, from) => draw(resized(from, { right, down, x, y }, size)));
    box.append(handle);
  }
  stage.append(frame);

  /** @param {Crop} next */
  function draw(next) {
    crop = next;
    lay(box, crop);
  }

  /** Lays it over the page, wherever that is shown and however it is turned. */
  function place() {
    if (frame.hasAttribute('hidden') || image.naturalWidth === 0) return;
    const around = stage.getBoundingClientRect();
    const { left, top, width, height } = seenPlace(image);
    size = { width, height };
    frame.style.left = `${left - around.left + stage.scrollLeft}px`;
    frame.style.top = `${top - around.top + stage.scrollTop}px`;
    frame.style.width = `${width}px`;
    frame.style.height = `${height}px`;
  }

  image.addEventListener('load', place);
  const resizes = new ResizeObserver(place);
  resizes.observe(stage);
  return {
    /**
     * @param {Crop | undefined} shown hides it where there is none
     * @param {boolean} isEdited whether it can be moved
     */
    show: (shown, isEdited) => {
      frame.toggleAttribute('hidden', shown === undefined);
      frame.classList.toggle('edited', isEdited);
      box.tabIndex = isEdited ? 0 : -1;
      if (shown) draw(shown);
      place();
    },
    isEdited: () => frame.classList.contains('edited'),
    value: () => rounded(crop),
    /** @param {number} angle */
    turn: (angle) => draw({ ...crop, angle }),
    focus: () => box.querySelector('button')?.focus(),
    close: () => resizes.disconnect(),
  };
}

/** @param {typeof CORNERS[number][0]} corner */
function handleAt(corner) {
  const label = later.corners[corner];
  return element('button', { type: 'button', class: `handle ${corner}`, 'aria-label': label });
}

/**
 * @param {HTMLElement} box
 * @param {Crop} crop
 */
function lay({ style }, { x, y, width, height, angle }) {
  style.left = `${x * 100}%`;
  style.top = `${y * 100}%`;
  style.width = `${width * 100}%`;
  style.height = `${height * 100}%`;
  style.transform = `rotate(${angle}deg)`;
}

/**
 * Has an element moved with a finger or with the arrow keys.
 * @param {HTMLElement} held
 * @param {() => { crop: Crop, size: { width: number, height: number } }} now
 * @param {(x: number, y: number, from: Crop) => void} move in pixels, from where the frame was
 */
function listen(held, now, move) {
  held.addEventListener('keydown', (event) => {
    const [x, y] = ARROWS[event.key] ?? [];
    if (x === undefined || y === undefined || event.target !== held) return;
    event.preventDefault();
    const { crop, size } = now();
    const step = STEP * (event.shiftKey ? 5 : 1);
    move(x * step * size.width, y * step * size.height, crop);
  });
  held.addEventListener('pointerdown', (down) => {
    if (!down.isPrimary) return;
    down.stopPropagation();
    const { crop } = now();
    const over = new AbortController();
    held.setPointerCapture(down.pointerId);
    held.addEventListener(
      'pointermove',
      ({ clientX, clientY }) => move(clientX - down.clientX, clientY - down.clientY, crop),
      { signal: over.signal },
    );
    for (const end of ['pointerup', 'pointercancel'])
      held.addEventListener(end, () => over.abort(), { signal: over.signal });
  });
}

/**
 * Where a page is seen, in pixels of the screen: an image may be turned, and have room beside it.
 * @param {HTMLImageElement} image
 */
function seenPlace(image) {
  const { naturalWidth, naturalHeight, offsetWidth, offsetHeight } = image;
  const rect = image.getBoundingClientRect();
  const isOnSide = /turned-(90|270)/.test(image.className);
  const scale =
    (rect.width / (isOnSide ? offsetHeight : offsetWidth)) *
    Math.min(offsetWidth / naturalWidth, offsetHeight / naturalHeight);
  const across = naturalWidth * scale;
  const along = naturalHeight * scale;
  const [width, height] = isOnSide ? [along, across] : [across, along];
  const left = rect.left + (rect.width - width) / 2;
  return { left, top: rect.top + (rect.height - height) / 2, width, height };
}
