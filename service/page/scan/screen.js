import { explain, texts } from '../texts/texts.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ErrorBody} ErrorBody
 * @typedef {import('../types.d.ts').ScanRequest} ScanRequest
 */

/**
 * What the screen of a scan is about. `isStarting`: the call is made, and nothing is known yet. `error` is what the last call came to
 * where the scan itself has none.
 * @typedef {{ scan?: ScanView | undefined, error?: ErrorBody | undefined, isStarting: boolean, isLost: boolean, isStopping: boolean }} ScreenState
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
export function headlineOf({ scan, error, isStarting, isLost, isStopping }) {
  if (isLost) return { tone: 'wait', title: texts.lost, advice: '' };
  if (isStarting) return { tone: 'busy', title: texts.starting, advice: texts.startingAdvice };
  const failure = error ?? scan?.error;
  if (failure) {
    return {
      tone: HARMLESS.includes(failure.error) ? 'wait' : 'bad',
      ...errorText(failure),
      ...safePages(scan, failure),
    };
  }
  if (!scan) return { tone: 'bad', title: texts.unknownError, advice: '' };
  if (scan.state === 'finished') return finished(scan);
  return isStopping ? { tone: 'busy', title: texts.stopping, advice: '' } : HEADLINES[scan.state];
}

/** Nothing is broken: these only wait for a person. */
const HARMLESS = ['no_documents', 'scanner_busy', 'scan_stopped'];

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
 * A button under a scan: it makes a request, watches another scan, or stops the feeder. The first one is what most people want.
 * @typedef {{ label: string, request?: ScanRequest, watch?: string, stop?: string, isConfirmed?: boolean }} Action
 */

/**
 * What can be done next.
 * @param {ScreenState & { request?: ScanRequest | undefined }} screen `request` is the one that was made last
 * @returns {Action[]}
 */
export function actionsOf({ scan, error, isStarting, isStopping, request }) {
  if (isStarting) return [];
  /** @type {Action[]} */
  const actions = [];
  if (error?.busy_with) actions.push({ label: texts.watch, watch: error.busy_with });
  if (error && !scan && request) actions.push({ label: texts.tryAgain, request });
  if (scan) actions.push(...actionsByState(scan, isStopping, request));
  return actions;
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
      return [...sendings(scan), again];
    case 'processing':
    case 'delivering':
    case 'discarded':
    case 'unreadable':
      return [];
  }
}

/**
 * The next scan. Where nothing was scanned, the title and the tags are still for it.
 * @param {ScanView} scan
 * @param {ScanRequest} [last]
 * @returns {ScanRequest}
 */
function anotherOf({ pages, profile }, last) {
  return pages.length === 0 && last?.path === 'scan' ? last : { path: 'scan', body: { profile } };
}

/**
 * The ways on from where a scan ended early, with pages. Where more paper was to follow, the service still waits for it.
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function waysOn(scan) {
  if (scan.stage === 'process') return [{ label: texts.tryAgain, request: resuming(scan) }];
  if (scan.stage === 'deliver') return sendings(scan);
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
  const isAny = (/** @type {string} */ wanted) => deliveries.some(({ state }) => state === wanted);
  /** @type {Action[]} */
  const actions = [];
  if (isAny('refused') || scan.state !== 'finished')
    actions.push({ label: texts.sendAgain, request: resuming(scan) });
  if (isAny('unknown')) {
    const request = resuming(scan, { resend_unknown: true });
    actions.push({ label: texts.sendUnknown, request, isConfirmed: true });
  }
  return actions;
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
