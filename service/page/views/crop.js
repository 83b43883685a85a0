import { element } from '../element.js';
import { moved, resized, rounded } from '../scan/crop-geometry.js';
import { later } from '../texts/later.js';

/** @typedef {import('../types.d.ts').Crop} Crop */

/** The step of an arrow key, as a fraction of the page; five times this with Shift. */
const STEP = 0.01;

/** @type {[name: keyof typeof later.corners, right: number, down: number][]} */
const CORNERS = [
  ['nw', -1, -1],
  ['ne', 1, -1],
  ['sw', -1, 1],
  ['se', 1, 1],
];

/** @type {Partial<Record<string, [right: number, down: number]>>} */
export const ARROWS = {
  ArrowLeft: [-1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
  ArrowRight: [1, 0],
};

/**
 * A crop frame over the page. It and its corners are moved by dragging or with arrow keys. `nudge`
 * moves the last touched corner.
 * @param {HTMLElement} stage
 * @param {HTMLImageElement} image
 */
export function createFrame(stage, image) {
  /* Of the displayed page, in pixels. */
  let size = { width: 1, height: 1 };
  const { box, value, draw, nudge } = createBox(() => size);
  const frame = element('div', { class: 'crop', hidden: true }, box);
  stage.append(frame);

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
  resizes.observe(image);
  return {
    /**
     * @param {Crop | null} shown null hides the frame
     * @param {boolean} isEdited true if the frame can be moved
     */
    show: (shown, isEdited) => {
      frame.toggleAttribute('hidden', shown === null);
      stage.classList.toggle('cropping', isEdited);
      if (shown) draw(shown);
      place();
    },
    isEdited: () => stage.classList.contains('cropping'),
    value: () => rounded(value()),
    nudge,
    /** @param {number} angle */
    turn: (angle) => draw({ ...value(), angle }),
    focus: () => box.querySelector('button')?.focus(),
    close: () => resizes.disconnect(),
  };
}

/** @param {() => { width: number, height: number }} size of the page, in pixels */
function createBox(size) {
  /** @type {Crop} */
  let crop = { x: 0, y: 0, width: 1, height: 1, angle: 0 };
  const value = () => crop;
  const box = element('div', { class: 'crop-box', role: 'group', 'aria-label': later.cropFrame });
  let nudge = listen(box, { value, size }, (x, y, from) => draw(moved(from, x, y, size())));

  /** @param {Crop} next */
  function draw(next) {
    crop = next;
    const { x, y, width, height, angle } = crop;
    Object.assign(box.style, {
      left: `${x * 100}%`,
      top: `${y * 100}%`,
      width: `${width * 100}%`,
      height: `${height * 100}%`,
      transform: `rotate(${angle}deg)`,
    });
  }

  for (const [name, right, down] of CORNERS) {
    const label = later.corners[name];
    const handle = element('button', {
      type: 'button',
      class: `handle ${name}`,
      'aria-label': label,
    });
    const nudgeIt = listen(handle, { value, size }, (x, y, from) =>
      draw(resized(from, { right, down, x, y }, size())),
    );
    const choose = () => {
      nudge = nudgeIt;
      for (const other of box.children) other.classList.toggle('chosen', other === handle);
    };
    /* Some browsers do not focus a pressed button. */
    handle.addEventListener('pointerdown', choose);
    handle.addEventListener('focus', choose);
    box.append(handle);
  }
  return {
    box,
    value,
    draw,
    /** @type {(right: number, down: number) => void} */
    nudge: (right, down) => nudge(right, down),
  };
}

/**
 * Moves an element by dragging and with arrow keys. Returns a function that moves it by one step.
 * @param {HTMLElement} held
 * @param {{ value: () => Crop, size: () => { width: number, height: number } }} frame
 * @param {(x: number, y: number, from: Crop) => void} move `x` and `y` in pixels from the frame `from`
 * @returns {(right: number, down: number) => void}
 */
function listen(held, frame, move) {
  /** @type {(right: number, down: number, steps?: number) => void} */
  const nudge = (right, down, steps = 1) => {
    const { width, height } = frame.size();
    move(right * steps * STEP * width, down * steps * STEP * height, frame.value());
  };
  held.addEventListener('keydown', (event) => {
    const [right, down] = ARROWS[event.key] ?? [];
    if (right === undefined || down === undefined || event.target !== held) return;
    event.preventDefault();
    nudge(right, down, event.shiftKey ? 5 : 1);
  });
  held.addEventListener('pointerdown', (down) => {
    if (!down.isPrimary) return;
    down.stopPropagation();
    const from = frame.value();
    const over = new AbortController();
    held.setPointerCapture(down.pointerId);
    held.addEventListener(
      'pointermove',
      ({ clientX, clientY }) => move(clientX - down.clientX, clientY - down.clientY, from),
      { signal: over.signal },
    );
    for (const end of ['pointerup', 'pointercancel'])
      held.addEventListener(end, () => over.abort(), { signal: over.signal });
  });
  return nudge;
}

/**
 * The position of the page on the screen, in pixels. The image may be rotated or have margins.
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
