import { element } from '../element.js';
import { later } from '../texts/later.js';
import { ARROWS, createFrame } from './crop.js';

/** @typedef {import('../types.d.ts').Crop} Crop */

/** The first offer if the paper was not found. */
const NEARLY_ALL = { x: 0.05, y: 0.05, width: 0.9, height: 0.9, angle: 0 };
/** What the slider offers at least, in degrees. */
const MAX_ANGLE = 15;

/**
 * Cropping, which takes the place of the other tools for a while.
 * @param {{ stage: HTMLElement, image: HTMLImageElement, tools: HTMLElement, extra: HTMLElement, crop: HTMLElement }} parts
 */
export function createCropTools({ stage, image, tools, extra, crop: opener }) {
  const frame = createFrame(stage, image);
  /** @type {Crop | null} */
  let kept = null;

  /** @param {HTMLElement[]} shown empty brings the tools back */
  function show(shown) {
    tools.classList.toggle('away', shown.length > 0);
    extra.replaceChildren(...shown);
    extra.toggleAttribute('hidden', shown.length === 0);
  }

  function end() {
    show([]);
    frame.show(kept, false);
    opener.focus();
  }

  return {
    isOpen: frame.isEdited,
    end,
    close: frame.close,
    /**
     * Shows what a page is cropped to.
     * @param {Crop | null} crop
     */
    draw: (crop) => {
      kept = crop;
      if (!frame.isEdited()) frame.show(kept, false);
    },
    /**
     * @param {Crop | null} proposed where the paper was found
     * @param {(crop: Crop | null) => void} onCrop
     */
    open: (proposed, onCrop) => {
      const first = kept ?? proposed ?? NEARLY_ALL;
      const done = (/** @type {Crop | null} */ crop) => {
        onCrop(crop);
        end();
      };
      show([
        element('p', { class: 'facts' }, later.cropAdvice),
        arrows(frame.nudge),
        straightening(first.angle, frame.turn),
        button('primary', later.cropNow, () => done(frame.value())),
        button('', later.wholePage, () => done(null)),
        button('', later.cancelCrop, end),
      ]);
      frame.show(first, true);
      frame.focus();
    },
  };
}

/** @param {(right: number, down: number) => void} nudge */
function arrows(nudge) {
  const one = ([key = '', [right, down] = [0, 0]]) =>
    element(
      'button',
      { type: 'button', 'aria-label': later.arrows[key], click: () => nudge(right, down) },
      ARROW_SIGNS[key],
    );
  return element('div', { class: 'arrows' }, ...Object.entries(ARROWS).map(one));
}

/** @type {Record<string, string>} */
const ARROW_SIGNS = { ArrowLeft: '←', ArrowUp: '↑', ArrowDown: '↓', ArrowRight: '→' };

/**
 * @param {number} angle
 * @param {(angle: number) => void} onAngle
 */
function straightening(angle, onAngle) {
  const most = Math.max(MAX_ANGLE, Math.ceil(Math.abs(angle)));
  const output = element('output', {}, degrees(angle));
  const input = element('input', {
    type: 'range',
    min: -most,
    max: most,
    step: 0.5,
    value: angle,
    input: () => {
      onAngle(input.valueAsNumber);
      output.textContent = degrees(input.valueAsNumber);
    },
  });
  return element('label', { class: 'straighten' }, later.straighten, input, output);
}

/** @param {number} angle */
function degrees(angle) {
  return `${angle.toLocaleString(document.documentElement.lang, { maximumFractionDigits: 1 })}°`;
}

/**
 * @param {string} className
 * @param {string} label
 * @param {() => void} click
 */
function button(className, label, click) {
  return element('button', { type: 'button', class: className, click }, label);
}
