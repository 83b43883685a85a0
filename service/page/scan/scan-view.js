/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ScanDetails} ScanDetails
 * @typedef {import('../types.d.ts').DocumentView} DocumentView
 */

/**
 * Applies an event to a scan, giving the same as GET /scans/{scan_id}. `scan` is undefined before
 * the first event.
 * @param {ScanDetails | undefined} scan
 * @param {string} event
 * @param {any} data
 * @returns {ScanDetails | undefined}
 */
export function afterEvent(scan, event, data) {
  const sent = event === 'snapshot' ? data : data.view;
  if (sent === undefined || (!scan && !Array.isArray(sent.page_states))) return scan;
  return {
    ...scan,
    ...sent,
    page_states: changed(scan?.page_states, sent.page_states),
    documents: changed(scan?.documents, sent.documents),
    warnings: changed(scan?.warnings, sent.warnings),
    warning_details: changed(scan?.warning_details, sent.warning_details),
  };
}

/**
 * Applies a list as sent in events: complete, as a change, or missing if unchanged.
 * @template Item
 * @param {Item[] | undefined} list
 * @param {Item[] | { from: number, removed: number, added: Item[] } | undefined} sent
 * @returns {Item[]}
 */
function changed(list = [], sent) {
  if (sent === undefined) return list;
  if (Array.isArray(sent)) return sent;
  const { from, removed, added } = sent;
  return [...list.slice(0, from), ...added, ...list.slice(from + removed)];
}

/**
 * @param {ScanDetails} details
 * @returns {ScanView}
 */
export function viewOf(details) {
  const { page_states: states, upload, public_urls: addresses = [] } = details;
  const pages = states.filter(({ page, replaced_by: by }) => (by ?? page) === page);
  const read = pages.filter(({ turned }) => turned !== null);
  /* Neither the error nor the warnings of a discarded scan matter any more. */
  const isDiscarded = details.state === 'discarded';
  return {
    scan_id: details.scan_id,
    profile: details.profile,
    state: details.state,
    stage: details.stage,
    trigger: details.trigger,
    kind: details.kind,
    asked: details.asked_settings ?? {},
    hold: details.hold,
    hasWaited: details.has_waited,
    title: details.title,
    pages: pages.map(({ page }) => page),
    read: read.map(({ page }) => page),
    turned: Object.fromEntries(
      pages.map(({ page, turned, turn }) => [page, quarters((turned ?? 0) + turn)]),
    ),
    dropped: pages.flatMap(({ page, dropped, left_out }) => {
      const reason = left_out ? 'person' : dropped;
      return reason ? [{ page, reason }] : [];
    }),
    edits: pages.map((state) => editsOf(state, states)),
    replaced: Object.fromEntries(states.map(({ page, replaced_by: by }) => [page, by ?? page])),
    documents: details.documents.map((document, index) =>
      documentView(
        document,
        addresses,
        upload?.document === index ? upload.destination : undefined,
      ),
    ),
    warnings: (isDiscarded ? [] : details.warnings).map((text, index) => {
      return { text, said: details.warning_details[index] ?? null };
    }),
    sides: {
      fronts: pages.filter(({ side }) => side === 'front').length,
      backs: pages.filter(({ side, dropped }) => side === 'back' && dropped !== 'replaced').length,
    },
    error: isDiscarded ? null : details.error,
  };
}

/**
 * @param {import('../types.d.ts').PageState} state
 * @param {import('../types.d.ts').PageState[]} states
 * @returns {ScanView['edits'][number]}
 */
function editsOf(state, states) {
  const { page, left_out: leftOut, turn, starts_document: starts, crop, replaces } = state;
  const others = states.filter((one) => one.replaced_by === page).map((one) => one.page);
  const other = others.find((one) => one === replaces) ?? others[others.length - 1];
  return { page, leftOut, turn, starts, crop, proposed: state.proposed_crop, other };
}

/**
 * How a page is shown.
 * @param {Pick<ScanView, 'edits' | 'turned'>} scan
 * @param {number} page
 * @returns {import('../types.d.ts').ShownPage}
 */
export function shownPage({ edits, turned }, page) {
  const crop = edits.find((one) => one.page === page)?.crop ?? null;
  return { page, turned: turned[page] ?? 0, crop };
}

/**
 * @param {ScanDetails['documents'][number]} document
 * @param {(string | null)[]} addresses of the destinations, for browsers
 * @param {number} [sending] index of the destination of the current upload
 * @returns {DocumentView}
 */
function documentView(document, addresses, sending) {
  const { filename, pages, page_count: pageCount, title, destinations } = document;
  const { outcomes, causes } = document;
  /** @type {DocumentView['deliveries']} */
  const deliveries = destinations.map((entry, index) => ({
    state: outcomes[index] ?? 'refused',
    error: entry.error ?? '',
    cause: causes[index] ?? null,
    address: addresses[index] ?? null,
  }));
  if (sending !== undefined) {
    deliveries[sending] = { state: 'sending', error: '', cause: null, address: null };
  }
  return { filename, pages, pageCount, title, deliveries };
}

/**
 * Rotation of a preview: 0, 90, 180 or 270 degrees. Deskewing is invisible in a small image.
 * @param {number} turned
 */
function quarters(turned) {
  return ((Math.round(turned / 90) + 4) % 4) * 90;
}

/**
 * Which backs of a one-sided stack have been scanned. Always `all` for the glass and duplex
 * feeders.
 * @param {Pick<ScanView, 'kind' | 'sides'>} scan
 * @returns {'none' | 'some' | 'all'}
 */
export function backsOf({ kind, sides: { fronts, backs } }) {
  const isApart = kind === 'feeder' || kind === 'receipts';
  if (!isApart || backs >= fronts) return 'all';
  return backs === 0 ? 'none' : 'some';
}

/**
 * True if only the front of a card has been scanned.
 * @param {Pick<ScanView, 'state' | 'kind' | 'pages'>} scan
 */
export function missesBackOfCard({ state, kind, pages }) {
  return state === 'held' && kind === 'card' && pages.length === 1;
}

/**
 * The displayed page number: its position among the pages of the scan. In the API, pages are
 * numbered as scanned, so backs scanned separately come later.
 * @param {Pick<ScanView, 'pages'>} scan
 * @param {number} page
 */
export function numberOf({ pages }, page) {
  return pages.indexOf(page) + 1;
}

/**
 * True if the request rescans one page. The new page is hidden until it replaces the old one.
 * @param {import('../types.d.ts').ScanRequest | undefined} request
 */
export function isAgain(request) {
  return request?.body['replaces'] !== undefined;
}

/**
 * True while the service works on the scan.
 * @param {Pick<ScanView, 'state'>} scan
 */
export function isRunning({ state }) {
  return ['scanning', 'processing', 'delivering'].includes(state);
}

/**
 * Predicts whether edits and discarding are accepted: the scan is held or ended early, and nothing
 * was sent.
 * @param {ScanView} scan
 */
export function isEditable({ state, documents, pages }) {
  return (
    pages.length > 0 &&
    ['held', 'failed', 'interrupted'].includes(state) &&
    documents.every(({ deliveries }) => deliveries.length === 0)
  );
}
