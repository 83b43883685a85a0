import { texts } from '../texts/texts.js';
import { waits } from '../views/choices.js';
import { backsOf, isAgain, isEditable, isRunning, missesBackOfCard } from './scan-view.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ScanRequest} ScanRequest
 * @typedef {import('./screen.js').ScreenState} ScreenState
 */

/**
 * A button under a scan, with the one thing that it does. The first button is the main one.
 * @typedef {{ label: string, request?: ScanRequest, watch?: string, href?: string, stop?: string, discard?: boolean, isLeaving?: boolean, isConfirmed?: boolean }} Action
 */

/**
 * @param {ScreenState} screen
 * @returns {Action[]}
 */
export function actionsOf(screen) {
  const { scan, phase, isLost } = screen;
  /* If the service is unreachable, a press can be cancelled, but a feeder cannot be stopped. */
  if (phase === 'starting') return isLost ? [{ label: texts.cancel, isLeaving: true }] : [];
  if (phase === 'opening') return [];
  if (!scan) return [...watching(screen), ...repeating(screen)];
  if (isLost && isRunning(scan)) return [];
  return [...watching(screen), ...actionsByState(screen, scan), ...discarding(scan)];
}

/**
 * Shows the scan that is using the scanner.
 * @param {ScreenState} screen
 * @returns {Action[]}
 */
function watching({ other, error, isFree }) {
  const watch = other?.scan_id ?? error?.busy_with;
  return watch && !isFree ? [{ label: texts.watch, watch }] : [];
}

/**
 * Repeats the failed request.
 * @param {ScreenState} screen
 * @returns {Action[]}
 */
function repeating({ error, isFree, request }) {
  if (!request) return [];
  if (isFree) return [{ label: texts.scanNow, request: anew(request) }];
  if (!error) return [];
  /* An unanswered request may have arrived; the same key prevents a second scan. */
  const again = error.error === 'not_answered' ? request : anew(request);
  return [{ label: texts.tryAgain, request: again }];
}

/**
 * The same request without its key, so that the service treats it as a new press.
 * @param {ScanRequest} request
 * @returns {ScanRequest}
 */
function anew({ path, body, isFromGlass }) {
  return { path, body, ...(isFromGlass !== undefined && { isFromGlass }) };
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
      /* Needs no confirmation, since stopping keeps all pages. */
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
 * Scans the next stack with the same settings, and holds it if this scan was held.
 * @param {ScanView} scan
 * @returns {ScanRequest}
 */
function likeIt({ profile, hasWaited, asked, kind }) {
  const settings = Object.keys(asked).length > 0 && { settings: asked };
  /* The service itself holds a card on the glass after its front. */
  const held = (kind === 'card' ? waits() : hasWaited) && { hold: true };
  return { path: 'scan', body: { profile, ...settings, ...held } };
}

/**
 * The buttons of a held scan. If backs are missing or mismatched, scanning backs comes first, since
 * the service accepts no other paper.
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
  if (missesBackOfCard(scan)) {
    const held = waits() ? { hold: true } : {};
    return [{ label: texts.addBackOfCard, request: feeding(scan, held) }, finish];
  }
  const isOff = (error ?? scan.error)?.error === 'sheet_count_mismatch';
  if (isOff || backsOf(scan) === 'some') return [backs, finish];
  return backsOf(scan) === 'none' ? [finish, pages, backs] : [finish, pages];
}

/**
 * Retries a failed rescan of one page.
 * @param {ScreenState} screen
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function scanningAgain({ error, request }, scan) {
  if (!request || !isAgain(request) || !(error ?? scan.error)) return [];
  return [{ label: texts.tryAgain, request: anew(request) }];
}

/**
 * Discards a scan: the last button, which needs a second press.
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function discarding(scan) {
  return isEditable(scan) ? [{ label: texts.discard, discard: true, isConfirmed: true }] : [];
}

/**
 * Repeats a scan that has no pages, keeping its title and tags.
 * @param {ScreenState} screen
 * @param {ScanView} scan
 * @returns {Action}
 */
function again({ request: last }, scan) {
  return { label: texts.again, request: last?.path === 'scan' ? anew(last) : likeIt(scan) };
}

/**
 * Buttons to continue a scan that ended early with pages. A held scan stays held.
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
 * Searches the document system for documents whose upload result is unknown. Safe, so it comes
 * first.
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
 * Opens the document of a scan that was opened from the list.
 * @param {ScreenState} screen
 * @param {ScanView} scan
 * @returns {Action[]}
 */
function openings({ request }, { scan_id, documents: [first, ...others] }) {
  if (request || !first || others.length > 0) return [];
  /* Offered once every destination has accepted the document. */
  if (first.deliveries.some(({ state }) => state !== 'accepted')) return [];
  return [{ label: texts.openDocument, href: `scans/${scan_id}/files/${first.filename}` }];
}

/**
 * The address of a search in Paperless-ngx, by title, or by text with the field `query`.
 * @param {string} address
 * @param {string} text
 */
export function searchIn(address, text, field = 'title__icontains') {
  return `${address.replace(/\/+$/, '')}/documents?${field}=${encodeURIComponent(text)}`;
}

/**
 * Uploads documents whose upload result is unknown. The last button, since they may be filed twice.
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
 * Resends a document that was uploaded but not filed.
 * @param {ScanView} scan
 * @param {string} filename
 * @returns {Action}
 */
export function resendingOf(scan, filename) {
  const request = resuming(scan, { resend_submitted: [filename] });
  return { label: texts.resend, request, isConfirmed: true };
}

/**
 * Adds paper to a scan.
 * @param {ScanView} scan
 * @param {Record<string, unknown>} [body]
 * @returns {ScanRequest}
 */
function feeding({ scan_id }, body) {
  return { path: 'scan', body: { continue_scan: scan_id, ...body } };
}

/**
 * Continues processing or delivering a scan.
 * @param {ScanView} scan
 * @param {Record<string, unknown>} [body]
 * @returns {ScanRequest}
 */
function resuming({ scan_id }, body = {}) {
  return { path: `scans/${scan_id}/resume`, body };
}
