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
 * address.
 * @typedef {{ id: import('./types.d.ts').StepId, icon: string, open: (body: AnswersBody) => StepView }} Step
 */

/** @type {readonly Step[]} */
export const STEPS = [
  { id: 'scanner', icon: 'scan', open: scannerView },
  { id: 'paperless', icon: 'send', open: paperlessView },
  { id: 'languages', icon: 'letter', open: languagesView },
  { id: 'buttons', icon: 'sliders', open: buttonsView },
  { id: 'house', icon: 'house', open: houseView },
  { id: 'test', icon: 'feeder', open: testScanView },
];
