import { button, element } from '../element.js';
import { later } from '../texts/later.js';
import { ARROWS, createFrame } from './crop.js';

/** @typedef {import('../types.d.ts').Crop} Crop */

/** The whole page, which is no crop. */
const WHOLE = { x: 0, y: 0, width: 1, height: 1, angle: 0 };
/** The slider's range is at least ± this, in degrees. */
const MAX_ANGLE = 15;

/**
 * The cropping tools, which replace the other tools while open.
 * @param {Pick<ReturnType<typeof import('./viewer-parts.js').createParts>, 'stage' | 'image' | 'drawer' | 'crop'>} parts
 */
export function createCropTools({ stage, image, drawer, crop: opener }) {
  const frame = createFrame(stage, image);
  /** @type {Crop | null} */
  let kept = null;

  function ended() {
    frame.show(kept, false);
    opener.focus();
  }

  return {
    close: frame.close,
    /**
     * Shows the current crop of a page.
     * @param {Crop | null} crop
     */
    draw: (crop) => {
      kept = crop;
      if (!frame.isEdited()) frame.show(kept, false);
    },
    /**
     * @param {Crop | null} proposed the detected paper
     * @param {(crop: Crop | null) => void} onCrop
     */
    open: (proposed, onCrop) => {
      const first = kept ?? proposed ?? WHOLE;
      const done = (/** @type {Crop | null} */ crop) => {
        onCrop(crop);
        drawer.end();
      };
      const tools = [
        element('p', { class: 'facts' }, later.cropAdvice),
        arrows(frame.nudge),
        straightening(first.angle, frame.turn),
        button('primary', later.cropNow, () => done(orNone(frame.value()))),
        button('', later.wholePage, () => done(null)),
        button('', later.cancel, drawer.end),
      ];
      drawer.open(tools, ended);
      frame.show(first, true);
      frame.focus();
    },
  };
}

/** @param {Crop} crop */
function orNone(crop) {
  const { width, height, angle } = crop;
  return width === 1 && height === 1 && angle === 0 ? null : crop;
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
