import { texts } from '../texts/texts.js';
import { backsOf, isAgain, isEditable, isRunning, missesBackOfCard } from './scan-view.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ScanRequest} ScanRequest
 * @typedef {import('./screen.js').ScreenState} ScreenState
 */

/**
 * A button under a scan: it makes a request, watches another scan, opens an address, stops the feeder, discards the scan or takes that
 * back, or leaves the screen. The first one is what most people want.
 * @typedef {{ label: string, request?: ScanRequest, watch?: string, href?: string, stop?: string, discard?: boolean, isLeaving?: boolean, isConfirmed?: boolean }} Action
 */

/**
 * What can be done next.
 * @param {ScreenState} screen
 * @returns {Action[]}
 */
export function actionsOf(screen) {
  const { scan, phase, isLost } = screen;
  /* What was not answered yet may be taken back; a feeder that is out of reach cannot be stopped. */
  if (phase === 'starting') return isLost ? [{ label: texts.cancel, isLeaving: true }] : [];
  if (phase === 'opening') return [];
  if (!scan) return [...watching(screen), ...repeating(screen)];
  if (isLost && isRunning(scan)) return [];
  return [...watching(screen), ...actionsByState(screen, scan), ...discarding(scan)];
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
 * @param {ScreenState} screen
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function actionsByState(screen, scan) {
  const next = { label: texts.next, request: likeIt(scan) };
  switch (scan.state) {
    case 'scanning':
      /* Needs no confirmation, since stopping loses nothing. */
      return screen.isStopping ? [] : [{ label: texts.stop, stop: scan.scan_id }];
    case 'held':
      return [...scanningAgain(screen, scan), ...waiting(screen, scan)];
    case 'failed':
    case 'interrupted':
      return scan.pages.length === 0 ? [again(screen, scan)] : waysOn(scan);
    case 'finished':
      return [
        ...findings(scan),
        ...sendings(scan),
        ...openings(screen, scan),
        next,
        ...sendingUnknown(scan),
      ];
    case 'processing':
    case 'delivering':
      return [next];
    case 'discarded':
      return [{ label: texts.undiscard, discard: false }];
    case 'unreadable':
      return [];
  }
}

/**
 * A scan of another stack: who looked at this one before it was filed wants to look at that one, too.
 * @param {ScanView} scan
 * @returns {ScanRequest}
 */
function likeIt({ profile, hasWaited, asked, kind }) {
  const settings = Object.keys(asked).length > 0 && { settings: asked };
  /* The service holds the front of a card without being asked. */
  const held = hasWaited && kind !== 'card' && { hold: true };
  return { path: 'scan', body: { profile, ...settings, ...held } };
}

/**
 * All paper was fed, and most people who hold a scan want to look at it. Backs that are missing or do not match come first: the service
 * then takes no other paper.
 * @param {ScreenState} screen
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function waiting({ error, newTitle }, scan) {
  const title = newTitle?.trim() ?? '';
  const named = title !== '' && title !== scan.title && { title };
  const finish = { label: texts.finish, request: resuming(scan, { ...named }) };
  const pages = { label: texts.addPages, request: feeding(scan, { hold: true }) };
  const backs = { label: texts.addBacks, request: feeding(scan, { side: 'backs', hold: true }) };
  if (missesBackOfCard(scan))
    return [{ label: texts.addBackOfCard, request: feeding(scan) }, finish];
  const isOff = (error ?? scan.error)?.error === 'sheet_count_mismatch';
  if (isOff || backsOf(scan) === 'some') return [backs, finish];
  return backsOf(scan) === 'none' ? [finish, pages, backs] : [finish, pages];
}

/**
 * The page that could not be scanned again, once more.
 * @param {ScreenState} screen
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function scanningAgain({ error, request }, scan) {
  if (!request || !isAgain(request) || !(error ?? scan.error)) return [];
  return [{ label: texts.tryAgain, request: anew(request) }];
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
 * A scan in place of one that scanned nothing: the title and the tags are still for it.
 * @param {ScreenState} screen
 * @param {ScanView} scan
 * @returns {Action}
 */
function again({ request: last }, scan) {
  return { label: texts.again, request: last?.path === 'scan' ? anew(last) : likeIt(scan) };
}

/**
 * The ways on from where a scan ended early, with pages. Where more paper was to follow, the service still waits for it.
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function waysOn(scan) {
  if (scan.stage === 'process') return [{ label: texts.tryAgain, request: resuming(scan) }];
  if (scan.stage === 'deliver') {
    return [...findings(scan), ...sendings(scan), ...sendingUnknown(scan)];
  }
  return [
    { label: texts.goOn, request: feeding(scan) },
    { label: texts.fileThese(scan.pages.length), request: resuming(scan) },
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
 * First, as nothing can go wrong with it: to look for the documents that may have arrived.
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function findings({ documents }) {
  const addresses = documents.flatMap(({ title, deliveries }) =>
    deliveries.flatMap(({ state, address }) =>
      state === 'unknown' && address !== null ? [searchIn(address, title)] : [],
    ),
  );
  return addresses.slice(0, 1).map((href) => ({ label: texts.findFirst, href }));
}

/**
 * What people open an old scan for.
 * @param {ScreenState} screen
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function openings({ request }, { scan_id, documents: [first, ...others] }) {
  if (request || !first || others.length > 0) return [];
  /* What was not filed comes first. */
  if (first.deliveries.some(({ state }) => state !== 'accepted')) return [];
  return [{ label: texts.openDocument, href: `scans/${scan_id}/files/${first.filename}` }];
}

/**
 * The documents of Paperless-ngx that have this in their titles: the id is not known, as its task runs after the upload. With
 * `query` for the field, in their texts.
 * @param {string} address
 * @param {string} text
 */
export function searchIn(address, text, field = 'title__icontains') {
  return `${address.replace(/\/+$/, '')}/documents?${field}=${encodeURIComponent(text)}`;
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
 * Sends a document again that was accepted and is not there: its task failed in the system.
 * @param {ScanView} scan
 * @param {string} filename
 * @returns {Action}
 */
export function resendingOf(scan, filename) {
  const request = resuming(scan, { resend_submitted: [filename] });
  return { label: texts.resend, request, isConfirmed: true };
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
