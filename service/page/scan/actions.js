import { texts } from '../texts/texts.js';
import { backsOf, isAgain, isEditable, isRunning, missesBackOfCard } from './scan-view.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ScanRequest} ScanRequest
 * @typedef {import('./screen.js').ScreenState} ScreenState
 */

/**
 * A button under a scan: makes a request, watches another scan, opens an address, stops the feeder,
 * discards or restores the scan, or leaves the screen. The first is the main one.
 * @typedef {{ label: string, request?: ScanRequest, watch?: string, href?: string, stop?: string, discard?: boolean, isLeaving?: boolean, isConfirmed?: boolean }} Action
 */

/**
 * The buttons to show.
 * @param {ScreenState} screen
 * @returns {Action[]}
 */
export function actionsOf(screen) {
  const { scan, phase, isLost } = screen;
  /* An unanswered press can be cancelled; an unreachable feeder cannot be stopped. */
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
 * Repeats the failed press.
 * @param {ScreenState} screen
 * @returns {Action[]}
 */
function repeating({ error, isFree, request }) {
  if (!request) return [];
  if (isFree) return [{ label: texts.scanNow, request: anew(request) }];
  if (!error) return [];
  /* With the same key, so that a press that did arrive does not scan twice. */
  const again = error.error === 'not_answered' ? request : anew(request);
  return [{ label: texts.tryAgain, request: again }];
}

/**
 * The same request as a new press, with a new key.
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
 * A scan of the next stack, held if this one was.
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
 * The buttons of a held scan. Missing or mismatched backs come first, since the service then takes
 * no other paper.
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
 * Comes last, and needs a second press.
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function discarding(scan) {
  return isEditable(scan) ? [{ label: texts.discard, discard: true, isConfirmed: true }] : [];
}

/**
 * Repeats a scan that fed nothing, with its title and tags.
 * @param {ScreenState} screen
 * @param {ScanView} scan
 * @returns {Action}
 */
function again({ request: last }, scan) {
  return { label: texts.again, request: last?.path === 'scan' ? anew(last) : likeIt(scan) };
}

/**
 * How to continue a scan that ended early with pages. It stays held if it was.
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
 * Searches for documents that may have arrived. Comes first, because it is safe.
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
 * Opens the document of an old scan.
 * @param {ScreenState} screen
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function openings({ request }, { scan_id, documents: [first, ...others] }) {
  if (request || !first || others.length > 0) return [];
  /* Unfiled documents take precedence. */
  if (first.deliveries.some(({ state }) => state !== 'accepted')) return [];
  return [{ label: texts.openDocument, href: `scans/${scan_id}/files/${first.filename}` }];
}

/**
 * Searches titles in Paperless-ngx, as the document's id is unknown. With the field `query`,
 * searches the texts.
 * @param {string} address
 * @param {string} text
 */
export function searchIn(address, text, field = 'title__icontains') {
  return `${address.replace(/\/+$/, '')}/documents?${field}=${encodeURIComponent(text)}`;
}

/**
 * Comes last, because it may file a document twice.
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
 * Resends a document that was accepted but whose task failed.
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
 * Processes and delivers the rest of a scan.
 * @param {ScanView} scan
 * @param {Record<string, unknown>} [body]
 * @returns {ScanRequest}
 */
function resuming({ scan_id }, body = {}) {
  return { path: `scans/${scan_id}/resume`, body };
}
