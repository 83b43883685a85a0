import { buttonsView } from './steps/buttons.js';
import { houseView } from './steps/house.js';
import { languagesView } from './steps/languages.js';
import { paperlessView } from './steps/paperless.js';
import { scannerView } from './steps/scanner.js';
import { testScanView } from './steps/test-scan.js';

/**
 * @typedef {import('./types.d.ts').AnswersBody} AnswersBody
 * @typedef {import('./screen.js').StepView} StepView
 */

/**
 * A step of the set-up, which is later a card of the settings. The id also appears in the page's
 * address. `lines` is the SVG path of an icon that only the set-up has.
 * @typedef {{ id: import('./types.d.ts').StepId, icon?: string, lines?: string, open: (body: AnswersBody) => StepView }} Step
 */

const GLOBE = 'M12 3a9 9 0 1 0 0 18a9 9 0 1 0 0-18M3 12h18M12 3c-4 5-4 13 0 18M12 3c4 5 4 13 0 18';

/** @type {readonly Step[]} */
export const STEPS = [
  { id: 'scanner', icon: 'scan', open: scannerView },
  { id: 'paperless', icon: 'send', open: paperlessView },
  { id: 'languages', lines: GLOBE, open: languagesView },
  { id: 'buttons', icon: 'sliders', open: buttonsView },
  { id: 'house', icon: 'house', open: houseView },
  { id: 'test', icon: 'feeder', open: testScanView },
];
