import { factsText } from '../texts/facts.js';
import { explain, texts } from '../texts/texts.js';
import { backsOf, isAgain, isRunning, missesBackOfCard } from './scan-view.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ErrorBody} ErrorBody
 * @typedef {import('../types.d.ts').ScanRequest} ScanRequest
 */

/**
 * The state of the screen of a scan.
 * @typedef {object} ScreenState
 * @property {ScanRequest | undefined} [request] the last scan request
 * @property {'starting' | 'opening' | 'known'} phase `starting` and `opening`: waiting for the first answer
 * @property {ScanView | undefined} [scan]
 * @property {ErrorBody | undefined} [error] of the last request, if the scan itself has none
 * @property {import('../types.d.ts').ScanSummary | undefined} [other] the scan that is using the scanner
 * @property {boolean} [isFree] the scanner was busy, and is free again
 * @property {boolean} [isLost] the service does not answer
 * @property {import('../texts/later.js').Say | undefined} [say] translates messages of the service; undefined until loaded
 * @property {ScanView | undefined} [before] the scan on the screen when the request was sent
 * @property {boolean} isStopping
 * @property {boolean} [isStopLost] the request to stop the feeder failed
 * @property {string | undefined} [newTitle] the title typed for a held scan
 * @property {ErrorBody | undefined} [refusal] why discarding or restoring the scan failed
 */

/**
 * @typedef {'busy' | 'good' | 'bad' | 'wait' | 'gone'} Tone
 * @typedef {{ tone: Tone, title: string, advice: string }} Headline
 */

/**
 * The title and one line of advice at the top of the screen.
 * @param {ScreenState} screen
 * @returns {Headline}
 */
export function headlineOf(screen) {
  const { scan, error, phase } = screen;
  if (screen.isLost) return { tone: 'wait', title: texts.lost, advice: lostAdvice(screen) };
  /* The scanner has no part in a request that files or sends pages. */
  if (isResuming(screen)) return { ...PHASES.opening, tone: 'busy' };
  if (phase !== 'known') return PHASES[phase];
  const failure = error ?? scan?.error;
  if (failure) return failed(screen, failure);
  if (scan) return scan.state === 'finished' ? finished(scan) : underWay(screen, scan.state);
  return screen.isFree
    ? { tone: 'good', title: texts.scannerFree, advice: texts.scannerFreeAdvice }
    : { tone: 'bad', title: texts.unknownError, advice: '' };
}

/**
 * True until the first answer to a request that feeds no paper.
 * @param {ScreenState} screen
 */
export function isResuming({ phase, request }) {
  return phase === 'starting' && request?.path !== 'scan';
}

/** @type {Record<'starting' | 'opening', Headline>} */
const PHASES = {
  starting: { tone: 'busy', title: texts.starting, advice: texts.startingAdvice },
  opening: { tone: 'wait', title: texts.opening, advice: '' },
};

/**
 * @param {ScreenState} screen
 * @param {ErrorBody} failure
 * @returns {Headline}
 */
function failed({ scan, other, before, request }, failure) {
  const { title } = errorText(failure);
  const isSame =
    before?.error?.error === failure.error && before.pages.length === scan?.pages.length;
  return {
    tone: HARMLESS.includes(failure.error) ? 'wait' : 'bad',
    /* Shows that the press was handled, although the error is the same as before. */
    title: isSame ? texts.still(title) : title,
    advice: other
      ? texts.otherFeeds(other.page_count ?? 0)
      : adviceAfter(failure, scan, isAgain(request)),
  };
}

/**
 * The advice for an error. Adds that pages are kept, and how to insert the stack for the backs.
 * @param {ErrorBody} failure
 * @param {ScanView | undefined} scan
 * @param {boolean} isOnePage the request was to scan one page again
 */
function adviceAfter(failure, scan, isOnePage) {
  const { advice } = errorText(failure);
  if (!scan || scan.pages.length === 0) return advice;
  const missesBacks = scan.state === 'held' && !isOnePage && backsOf(scan) !== 'all';
  const turning = failure.error === 'no_documents' && missesBacks && texts.backsAdvice;
  return [advice, turning, texts.safe(scan.pages.length)].filter(Boolean).join(' ');
}

/**
 * @param {ScreenState} screen
 * @param {Exclude<ScanView['state'], 'finished'>} state
 * @returns {Headline}
 */
function underWay({ isStopping, isStopLost, scan, request }, state) {
  const isFeeding = state === 'scanning';
  if (isFeeding && isStopping) return { tone: 'busy', title: texts.stopping, advice: '' };
  if (isFeeding && isStopLost) return { ...HEADLINES[state], advice: texts.stopLost };
  if (state === 'processing' || state === 'delivering') {
    return { ...HEADLINES[state], advice: freeText(scan, request, state) };
  }
  if (state !== 'held' || !scan) return HEADLINES[state];
  if (missesBackOfCard(scan)) {
    return { ...HEADLINES.held, title: texts.turnCard, advice: texts.turnCardAdvice };
  }
  const { fronts, backs } = scan.sides;
  const advice = {
    none: texts.backsAdvice,
    some: `${texts.sides(fronts, backs)} ${texts.backsSoFar}`,
    all: '',
  }[backsOf(scan)];
  return { ...HEADLINES.held, advice: `${texts.heldAdvice} ${advice}`.trim() };
}

/**
 * What continues while the service is unreachable.
 * @param {ScreenState} screen
 */
function lostAdvice({ phase, scan }) {
  if (phase === 'starting') return texts.lostPress;
  return scan && isRunning(scan) ? texts.lostScan : '';
}

/**
 * Where the paper can be taken from.
 * @param {ScanView | undefined} scan
 * @param {ScanRequest | undefined} request
 * @param {ScanView['state']} state
 */
function freeText(scan, request, state) {
  const isFromGlass = request?.isFromGlass ?? (scan?.kind === 'glass' || scan?.kind === 'card');
  const waits = state === 'processing' && scan?.hold ? [texts.waits] : [];
  return [isFromGlass ? texts.glassFree : texts.feederFree, ...waits].join(' ');
}

/** Errors that are no failures: the scan only waits for a person. */
const HARMLESS = [
  'no_documents',
  'scanner_busy',
  'scanner_busy_elsewhere',
  'scan_stopped',
  'not_answered',
];

/** @type {Record<Exclude<ScanView['state'], 'finished'>, Headline>} */
const HEADLINES = {
  scanning: { tone: 'busy', title: texts.scanning, advice: texts.scanningAdvice },
  processing: { tone: 'busy', title: texts.reading, advice: '' },
  delivering: { tone: 'busy', title: texts.filing, advice: '' },
  held: { tone: 'wait', title: texts.held, advice: texts.heldAdvice },
  failed: { tone: 'bad', title: texts.failed, advice: '' },
  interrupted: { tone: 'bad', ...errorText({ error: 'scan_interrupted', message: '' }) },
  discarded: { tone: 'gone', ...errorText({ error: 'scan_discarded', message: '' }) },
  unreadable: { tone: 'bad', ...errorText({ error: 'scan_record_unreadable', message: '' }) },
};

/**
 * @param {ErrorBody} body
 * @returns {Pick<Headline, 'title' | 'advice'>}
 */
function errorText(body) {
  const [title, advice] = explain(body.error) ?? [texts.unknownError, body.message];
  return { title, advice: [advice, factsText(texts, body)].filter(Boolean).join(' ') };
}

/**
 * Counts the pages of the documents, as in their PDFs. Pages in no document do not count.
 * @param {ScanView} scan
 * @returns {Headline}
 */
function finished({ documents }) {
  const deliveries = documents.flatMap(({ deliveries }) => deliveries);
  const isPartly = deliveries.some(({ state }) => state !== 'accepted');
  const filed = documents.reduce((sum, { pageCount }) => sum + pageCount, 0);
  const advice = `${texts.pages(filed)} · ${texts.documents(documents.length)}`;
  if (isPartly) return { tone: 'bad', title: texts.donePartly, advice };
  return { tone: 'good', title: texts.done, advice };
}

/**
 * The message next to the button for discarding or restoring, if the service refused.
 * @param {ScreenState} screen
 */
export function refusalOf({ refusal }) {
  return refusal ? Object.values(errorText(refusal)).join('. ') : '';
}
