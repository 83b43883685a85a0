import { explain, texts } from '../texts/texts.js';
import { isEditable, isRunning } from './scan-view.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ErrorBody} ErrorBody
 * @typedef {import('../types.d.ts').ScanRequest} ScanRequest
 */

/**
 * What the screen of a scan is about.
 * @typedef {object} ScreenState
 * @property {ScanRequest | undefined} [request] the call that was made last
 * @property {'starting' | 'opening' | 'known'} phase a call is made, or a scan is read, and nothing is known yet
 * @property {ScanView | undefined} [scan]
 * @property {ErrorBody | undefined} [error] what the last call came to where the scan itself has none
 * @property {import('../types.d.ts').ScanSummary | undefined} [other] the scan that has the scanner
 * @property {boolean} [isFree] the scanner was in use, and is free again
 * @property {boolean} [isLost] the service does not answer
 * @property {boolean} isStopping
 * @property {boolean} [isStopLost] the stop that was asked for did not reach the service
 */

/**
 * @typedef {'busy' | 'good' | 'bad' | 'wait'} Tone
 * @typedef {{ tone: Tone, title: string, advice: string }} Headline
 */

/**
 * What happened, and what to do, in one title and one line.
 * @param {ScreenState} screen
 * @returns {Headline}
 */
export function headlineOf(screen) {
  const { scan, error, phase } = screen;
  if (screen.isLost) return { tone: 'wait', title: texts.lost, advice: lostAdvice(screen) };
  if (phase !== 'known') return PHASES[phase];
  const failure = error ?? scan?.error;
  if (failure) return failed(screen, failure);
  if (scan) return scan.state === 'finished' ? finished(scan) : underWay(screen, scan.state);
  return screen.isFree
    ? { tone: 'good', title: texts.scannerFree, advice: texts.scannerFreeAdvice }
    : { tone: 'bad', title: texts.unknownError, advice: '' };
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
function failed({ scan, other }, failure) {
  return {
    tone: HARMLESS.includes(failure.error) ? 'wait' : 'bad',
    ...errorText(failure),
    ...safePages(scan, failure),
    ...(other && { advice: texts.otherFeeds(other.page_count ?? 0) }),
  };
}

/**
 * @param {ScreenState} screen
 * @param {Exclude<ScanView['state'], 'finished'>} state
 * @returns {Headline}
 */
function underWay({ isStopping, isStopLost }, state) {
  if (isStopping) return { tone: 'busy', title: texts.stopping, advice: '' };
  return { ...HEADLINES[state], ...(isStopLost && { advice: texts.stopLost }) };
}

/**
 * What goes on without the page, and what does not.
 * @param {ScreenState} screen
 */
function lostAdvice({ phase, scan }) {
  if (phase === 'starting') return texts.lostPress;
  return scan && isRunning(scan) ? texts.lostScan : '';
}

/** Nothing is broken: these only wait for a person. */
const HARMLESS = ['no_documents', 'scanner_busy', 'scan_stopped', 'not_answered'];

/** @type {Record<Exclude<ScanView['state'], 'finished'>, Headline>} */
const HEADLINES = {
  scanning: { tone: 'busy', title: texts.scanning, advice: texts.scanningAdvice },
  processing: { tone: 'busy', title: texts.reading, advice: texts.feederFree },
  delivering: { tone: 'busy', title: texts.filing, advice: texts.feederFree },
  held: { tone: 'wait', title: texts.held, advice: texts.heldAdvice },
  failed: { tone: 'bad', title: texts.failed, advice: '' },
  interrupted: { tone: 'bad', ...errorText({ error: 'scan_interrupted', message: '' }) },
  discarded: { tone: 'wait', ...errorText({ error: 'scan_discarded', message: '' }) },
  unreadable: { tone: 'bad', ...errorText({ error: 'scan_record_unreadable', message: '' }) },
};

/**
 * @param {ErrorBody} error
 * @returns {Pick<Headline, 'title' | 'advice'>}
 */
function errorText({ error, message }) {
  const [title, advice] = explain(error) ?? [texts.unknownError, message];
  return { title, advice };
}

/**
 * Nobody should have to wonder whether the pages are lost.
 * @param {ScanView | undefined} scan
 * @param {ErrorBody} error
 * @returns {Partial<Headline>}
 */
function safePages(scan, error) {
  if (!scan || scan.pages.length === 0) return {};
  return { advice: `${errorText(error).advice} ${texts.safe(scan.pages.length)}` };
}

/**
 * @param {ScanView} scan
 * @returns {Headline}
 */
function finished({ documents, pages, duration_ms }) {
  const deliveries = documents.flatMap(({ deliveries }) => deliveries);
  const isPartly = deliveries.some(({ state }) => state !== 'accepted');
  const facts = [texts.pages(pages.length), texts.documents(documents.length)];
  if (duration_ms !== null) facts.push(texts.doneIn(Math.max(1, Math.round(duration_ms / 1000))));
  const advice = facts.join(' · ');
  if (isPartly) return { tone: 'bad', title: texts.donePartly, advice };
  return { tone: 'good', title: deliveries.length > 0 ? texts.done : texts.doneNowhere, advice };
}

/**
 * A button under a scan: it makes a request, watches another scan, stops the feeder, discards the scan or takes that back, or leaves the screen. The first one is what most
 * people want.
 * @typedef {{ label: string, request?: ScanRequest, watch?: string, stop?: string, discard?: boolean, isLeaving?: boolean, isConfirmed?: boolean }} Action
 */

/**
 * What can be done next.
 * @param {ScreenState} screen
 * @returns {Action[]}
 */
export function actionsOf(screen) {
  const { scan, phase, isLost, isStopping, request } = screen;
  /* What was not answered yet may be taken back; a feeder that is out of reach cannot be stopped. */
  if (phase === 'starting') return isLost ? [{ label: texts.cancel, isLeaving: true }] : [];
  if (phase === 'opening') return [];
  if (!scan) return [...watching(screen), ...repeating(screen)];
  if (isLost && isRunning(scan)) return [];
  return [...watching(screen), ...actionsByState(scan, isStopping, request), ...discarding(scan)];
}

/**
 * @param {ScreenState} screen
 * @returns {Action[]}
 */
function watching({ other, error, isFree }) {
  const watch = other?.scan_id ?? error?.busy_with;
  return watch && !isFree ? [{ label: texts.watch, watch }] : [];
}

/**
 * The press that came to nothing, once more.
 * @param {ScreenState} screen
 * @returns {Action[]}
 */
function repeating({ error, isFree, request }) {
  if (!request) return [];
  if (isFree) return [{ label: texts.scanNow, request: anew(request) }];
  if (!error) return [];
  /* With its own key: a press that did arrive scans no second time. */
  const again = error.error === 'not_answered' ? request : anew(request);
  return [{ label: texts.tryAgain, request: again }];
}

/**
 * The same request as a press of its own.
 * @param {ScanRequest} request
 * @returns {ScanRequest}
 */
function anew({ path, body }) {
  return { path, body };
}

/**
 * @param {ScanView} scan
 * @param {boolean} isStopping
 * @param {ScanRequest} [last]
 * @returns {Action[]}
 */
function actionsByState(scan, isStopping, last) {
  const again = { label: texts.again, request: anotherOf(scan, last) };
  switch (scan.state) {
    case 'scanning':
      return isStopping ? [] : [{ label: texts.stop, stop: scan.scan_id, isConfirmed: true }];
    case 'held':
      return [
        { label: texts.addPages, request: feeding(scan, { hold: true }) },
        { label: texts.finish, request: resuming(scan) },
        { label: texts.addBacks, request: feeding(scan, { side: 'backs' }) },
      ];
    case 'failed':
    case 'interrupted':
      return scan.pages.length === 0 ? [again] : waysOn(scan);
    case 'finished':
      return [...sendings(scan), again, ...sendingUnknown(scan)];
    case 'processing':
    case 'delivering':
      return [{ label: texts.next, request: { path: 'scan', body: { profile: scan.profile } } }];
    case 'discarded':
      return [{ label: texts.undiscard, discard: false }];
    case 'unreadable':
      return [];
  }
}

/**
 * Last, and by a second press only.
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function discarding(scan) {
  return isEditable(scan) ? [{ label: texts.discard, discard: true, isConfirmed: true }] : [];
}

/**
 * The next scan. Where nothing was scanned, the title and the tags are still for it.
 * @param {ScanView} scan
 * @param {ScanRequest} [last]
 * @returns {ScanRequest}
 */
function anotherOf({ pages, profile }, last) {
  return pages.length === 0 && last?.path === 'scan'
    ? anew(last)
    : { path: 'scan', body: { profile } };
}

/**
 * The ways on from where a scan ended early, with pages. Where more paper was to follow, the service still waits for it.
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function waysOn(scan) {
  if (scan.stage === 'process') return [{ label: texts.tryAgain, request: resuming(scan) }];
  if (scan.stage === 'deliver') return [...sendings(scan), ...sendingUnknown(scan)];
  return [
    { label: texts.goOn, request: feeding(scan) },
    { label: texts.fileThese, request: resuming(scan) },
  ];
}

/**
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function sendings(scan) {
  const deliveries = scan.documents.flatMap(({ deliveries }) => deliveries);
  const isRefused = deliveries.some(({ state }) => state === 'refused');
  /** @type {Action[]} */
  const actions = [];
  if (isRefused || scan.state !== 'finished')
    actions.push({ label: texts.sendAgain, request: resuming(scan) });
  return actions;
}

/**
 * Last, as it may file a document twice.
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function sendingUnknown(scan) {
  const deliveries = scan.documents.flatMap(({ deliveries }) => deliveries);
  if (!deliveries.some(({ state }) => state === 'unknown')) return [];
  const request = resuming(scan, { resend_unknown: true });
  return [{ label: texts.sendUnknown, request, isConfirmed: true }];
}

/**
 * More paper for a scan.
 * @param {ScanView} scan
 * @param {Record<string, unknown>} [body]
 * @returns {ScanRequest}
 */
function feeding({ scan_id }, body) {
  return { path: 'scan', body: { continue_scan: scan_id, ...body } };
}

/**
 * What is left to be done with the pages of a scan.
 * @param {ScanView} scan
 * @param {Record<string, unknown>} [body]
 * @returns {ScanRequest}
 */
function resuming({ scan_id }, body = {}) {
  return { path: `scans/${scan_id}/resume`, body };
}
