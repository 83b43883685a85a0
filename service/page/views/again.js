import { button, element } from '../element.js';
import { later } from '../texts/later.js';
import { askForChoices } from './settings.js';

/** @typedef {import('../types.d.ts').ScanRequest} ScanRequest */

/**
 * Asks whether to scan a page again from the glass or the feeder, if the scanner has both.
 * @param {Pick<ReturnType<typeof import('./viewer-parts.js').createParts>, 'drawer' | 'scanAgain'>} parts
 * @param {import('../types.d.ts').ScanView} scan
 * @param {number} page
 * @param {(request: ScanRequest) => void} run
 */
export async function askToScanAgain({ drawer, scanAgain }, scan, page, run) {
  const ended = () => scanAgain.focus();
  const cancel = button('', later.cancel, drawer.end);
  drawer.open([element('p', { role: 'status' }, later.askingScanner), cancel], ended);
  const sources = await sourcesFor(scan.profile);
  if (!cancel.isConnected) return;
  const places = sources.map(([label, ...from]) =>
    button('primary', label, () => run(requestFor(scan.scan_id, page, ...from))),
  );
  const advice = element('p', { role: 'status' }, later.scanAgainAdvice);
  drawer.open([advice, ...places, cancel], ended);
  places[0]?.focus();
}

/**
 * @param {string} profile
 * @returns {Promise<[label: string, source?: string, isFromGlass?: boolean][]>}
 */
async function sourcesFor(profile) {
  const choices = await askForChoices(profile);
  const glass = choices.find(({ kind }) => kind === 'glass')?.source;
  const feeder = choices.find(({ kind }) => kind !== 'glass')?.source;
  if (!glass || !feeder) return [[later.scanAgainNow]];
  return [
    [later.fromGlass, glass, true],
    [later.fromFeeder, feeder, false],
  ];
}

/**
 * @param {string} id
 * @param {number} page
 * @param {string} [source]
 * @param {boolean} [isFromGlass]
 * @returns {ScanRequest}
 */
function requestFor(id, page, source, isFromGlass) {
  const settings = source !== undefined && { settings: { source } };
  const body = { continue_scan: id, replaces: page, ...settings };
  return { path: 'scan', body, ...(isFromGlass !== undefined && { isFromGlass }) };
}
