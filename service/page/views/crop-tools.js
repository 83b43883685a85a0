import { element } from '../element.js';
import { later } from '../texts/later.js';
import { createFrame } from './crop.js';
import { askForChoices } from './settings.js';

/**
 * @typedef {import('../types.d.ts').Crop} Crop
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ScanRequest} ScanRequest
 */

/** Offered where nothing better is known. */
const NEARLY_ALL = { x: 0.05, y: 0.05, width: 0.9, height: 0.9, angle: 0 };
/** A page that lies more askew is laid down again. In degrees. */
const MAX_ANGLE = 15;

/**
 * What takes the place of the tools for a while: cropping a page, and scanning it again.
 * @param {{ stage: HTMLElement, image: HTMLImageElement, tools: HTMLElement, extra: HTMLElement }} parts
 */
export function createExtraTools({ stage, image, tools, extra }) {
  const frame = createFrame(stage, image);
  /** @type {Crop | undefined} */
  let kept;

  /** @param {HTMLElement[]} shown nothing brings the tools back */
  function show(shown) {
    replace(tools, extra, shown);
    frame.show(kept, false);
  }

  const end = () => {
    show([]);
    tools.querySelector('button')?.focus();
  };

  return {
    isOpen: () => extra.childElementCount > 0,
    end,
    close: frame.close,
    /**
     * Shows what a page is cropped to.
     * @param {Crop | null | undefined} crop
     */
    draw: (crop) => {
      kept = crop ?? undefined;
      if (!frame.isEdited()) frame.show(kept, false);
    },
    /**
     * @param {Crop | null | undefined} proposed where the paper was found
     * @param {(crop: Crop | null) => void} onCrop
     */
    crop: (proposed, onCrop) => {
      stage.classList.remove('zoomed');
      const first = kept ?? proposed ?? NEARLY_ALL;
      const done = (/** @type {Crop | null} */ crop) => [onCrop(crop), end()];
      const cropNow = button('primary', later.cropNow, () => done(frame.value()));
      const wholePage = button('', later.wholePage, () => done(null));
      const cancel = button('', later.cancelCrop, end);
      show([straightening(first.angle, frame.turn), cropNow, wholePage, cancel]);
      frame.show(first, true);
      frame.focus();
    },
    /**
     * @param {ScanView} scan
     * @param {number} page
     * @param {(request: ScanRequest) => void} run
     */
    scanAgain: async (scan, page, run) => {
      const cancel = button('', later.cancelCrop, end);
      show([element('p', { role: 'status' }, later.askingScanner), cancel]);
      const places = await placesFor(scan, page, run);
      if (!cancel.isConnected) return;
      show([element('p', { role: 'status' }, later.scanAgainAdvice), ...places, cancel]);
      places[0]?.focus();
    },
  };
}

/**
 * @param {HTMLElement} tools
 * @param {HTMLElement} extra
 * @param {HTMLElement[]} shown in their place
 */
function replace(tools, extra, shown) {
  tools.classList.toggle('away', shown.length > 0);
  extra.replaceChildren(...shown);
  extra.toggleAttribute('hidden', shown.length === 0);
}

/**
 * Buttons that scan a page again, from where the scanner can.
 * @param {ScanView} scan
 * @param {number} page
 * @param {(request: ScanRequest) => void} run
 */
async function placesFor({ scan_id, profile }, page, run) {
  const choices = await askForChoices(profile);
  const glass = choices.find(({ kind }) => kind === 'glass')?.source;
  const feeder = choices.find(({ kind }) => kind !== 'glass')?.source;
  const again = (/** @type {string} */ label, /** @type {string} */ source = '') =>
    button('primary', label, () =>
      run({
        path: 'scan',
        body: {
          continue_scan: scan_id,
          replaces: page,
          ...(source !== '' && { settings: { source } }),
        },
      }),
    );
  if (!glass || !feeder) return [again(later.scanAgainNow)];
  return [again(later.fromGlass, glass), again(later.fromFeeder, feeder)];
}

/**
 * @param {number} angle
 * @param {(angle: number) => void} onAngle
 */
function straightening(angle, onAngle) {
  const input = element('input', {
    type: 'range',
    min: -MAX_ANGLE,
    max: MAX_ANGLE,
    step: 0.5,
    value: angle,
    input: ({ target }) => onAngle(Number(Object(target).value)),
  });
  return element('label', { class: 'straighten' }, element('span', {}, later.straighten), input);
}

/**
 * @param {string} className
 * @param {string} label
 * @param {() => void} click
 */
function button(className, label, click) {
  return element('button', { type: 'button', class: className, click }, label);
}
