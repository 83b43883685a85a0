/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ScanDetails} ScanDetails
 * @typedef {import('../types.d.ts').DocumentView} DocumentView
 */

/**
 * The scan as GET /scans/{scan_id} has it: what is shown can be read again at any time.
 * @param {ScanDetails} details
 * @returns {ScanView}
 */
export function viewOf(details) {
  const facts = details.page_facts ?? [];
  return {
    scan_id: details.scan_id,
    profile: details.profile,
    state: details.state,
    stage: details.stage,
    duration_ms: details.duration_ms,
    pages: details.pages.map((name) => Number(/\d+/.exec(name)?.[0])),
    read: facts.filter((page) => page.turned !== undefined).map(({ page }) => page),
    turned: Object.fromEntries(facts.map(({ page, turned }) => [page, quarters(turned)])),
    dropped: details.dropped_pages ?? [],
    documents: details.documents.map(documentView),
    warnings: details.warnings,
    error: details.error,
  };
}

/**
 * @param {ScanDetails['documents'][number]} document
 * @returns {DocumentView}
 */
function documentView({ filename, pages, title, confidence = null, destinations, outcomes = [] }) {
  return {
    filename,
    pages,
    title,
    confidence,
    isMade: true,
    deliveries: destinations.map(({ status, error = '' }, index) => ({
      state: outcomes[index] ?? (status === 'submitted' ? 'accepted' : 'refused'),
      error,
    })),
  };
}

/**
 * Degrees by which a preview is turned: 0, 90, 180 or 270. What a page was straightened by beyond that is not seen in a small picture.
 * @param {number} [turned]
 */
function quarters(turned = 0) {
  return ((Math.round(turned / 90) + 4) % 4) * 90;
}

/** @type {Omit<ScanView, 'scan_id' | 'profile'>} */
const BEGUN = {
  state: 'scanning',
  stage: 'scan',
  duration_ms: null,
  pages: [],
  read: [],
  turned: {},
  dropped: [],
  documents: [],
  warnings: [],
  error: null,
};

/**
 * What each event changes. Others are none of the page's business.
 * @type {Record<string, (scan: ScanView, data: any) => Partial<ScanView>>}
 */
const CHANGES = {
  begun: (_, { scan_id, profile }) => ({ ...BEGUN, scan_id, profile }),
  resumed: (scan, { stage, lost_pages = [], warnings = [] }) => ({
    stage,
    state: STATES[stage] ?? scan.state,
    error: null,
    pages: scan.pages.filter((page) => lost_pages.includes(page) === false),
    warnings: [...scan.warnings, ...warnings],
  }),
  page: ({ pages }, { number }) => ({ pages: [...new Set([...pages, number])] }),
  fed: ({ warnings }, { complete, warnings: more = [] }) => ({
    ...(complete === true && { state: 'processing', stage: 'process' }),
    warnings: [...warnings, ...more],
  }),
  recognized: ({ read, turned }, { page, facts }) => ({
    read: [...new Set([...read, page])],
    turned: { ...turned, [page]: quarters(facts.turned) },
  }),
  documents: (_, { documents, dropped_pages = [] }) => ({
    documents: documents.map(plannedDocument),
    dropped: dropped_pages,
  }),
  assembled: ({ documents }, { document }) => {
    const made = documents.map((one, index) =>
      index === document ? { ...one, isMade: true } : one,
    );
    const isAll = made.every(({ isMade }) => isMade);
    return { documents: made, ...(isAll && { state: 'delivering', stage: 'deliver' }) };
  },
  upload_begun: withDelivery(() => ({ state: 'sending', error: '' })),
  upload_ended: withDelivery(({ outcome, entry }) => ({
    state: outcome,
    error: entry.error ?? '',
  })),
  ended: (_, { state, error, duration_ms }) => ({ state, error, duration_ms }),
};

/** @type {Record<string, ScanView['state']>} */
const STATES = {
  scan: 'scanning',
  process: 'processing',
  deliver: 'delivering',
};

/**
 * @param {{ filename: string, pages: number[], title: string }} planned
 * @returns {DocumentView}
 */
function plannedDocument({ filename, pages, title }) {
  return { filename, pages, title, confidence: null, isMade: false, deliveries: [] };
}

/**
 * @param {(data: any) => DocumentView['deliveries'][number]} delivery
 * @returns {(scan: ScanView, data: any) => Partial<ScanView>}
 */
function withDelivery(delivery) {
  return ({ documents }, data) => ({
    documents: documents.map((document, index) => {
      if (index !== data.document) return document;
      const deliveries = [...document.deliveries];
      deliveries[data.destination] = delivery(data);
      return { ...document, deliveries };
    }),
  });
}

/**
 * The scan after an event of its stream. `scan` is undefined before the first one.
 * @param {ScanView | undefined} scan
 * @param {string} event
 * @param {any} data
 * @returns {ScanView | undefined}
 */
export function afterEvent(scan, event, data) {
  if (event === 'snapshot') return viewOf(data);
  const change = Object.hasOwn(CHANGES, event) ? CHANGES[event] : undefined;
  if (!change || (!scan && event !== 'begun')) return scan;
  const before = scan ?? { ...BEGUN, scan_id: '', profile: '' };
  return { ...before, ...change(before, data) };
}

/**
 * Whether the service is working on the scan.
 * @param {Pick<ScanView, 'state'>} scan
 */
export function isRunning({ state }) {
  return ['scanning', 'processing', 'delivering'].includes(state);
}
