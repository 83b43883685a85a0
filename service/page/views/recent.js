import { get } from '../api.js';
import { byId, element, fill, icon, kindById } from '../element.js';
import { searchIn } from '../scan/actions.js';
import { isRunning } from '../scan/scan-view.js';
import { explain, texts, timeText } from '../texts/texts.js';
import { picture } from './picture.js';
import { labelOf } from './start.js';

/** @typedef {import('../types.d.ts').ScanSummary} ScanSummary */

const PER_PAGE = 8;
/** Delay between typing and searching, in milliseconds. */
const TYPED_MS = 300;

/**
 * The list of scans: running and held ones first, then those that need attention, then the newest.
 * @param {() => import('../types.d.ts').ProfileSummary[]} profiles
 */
export function createRecent(profiles) {
  const list = byId('scans');
  const older = byId('older');
  const search = kindById('scan-search', HTMLInputElement);
  byId('recent-title').textContent = texts.recent;
  search.placeholder = texts.searchScans;
  search.setAttribute('aria-label', texts.searchScans);
  older.textContent = texts.older;
  byId('waiting').addEventListener('click', focusBanners);
  /** @type {ScanSummary[]} */
  let scans = [];
  let count = PER_PAGE;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let typed;

  async function load() {
    const words = search.value.trim();
    const query = `scans?fed=true&limit=${count}${words && `&search=${encodeURIComponent(words)}`}`;
    const { status, body } = await get(query);
    if (status !== 200 || words !== search.value.trim()) return;
    scans = asPrinted(body.scans, profiles());
    byId('recent').hidden = false;
    search.hidden = words === '' && scans.length < PER_PAGE && count === PER_PAGE;
    older.hidden = body.next === null || count >= MOST;
    const running = scans.filter(isRunning);
    const rest = scans.filter((scan) => !isRunning(scan));
    const sorted = [...rest.filter(needsSomebody), ...rest.filter((scan) => !needsSomebody(scan))];
    const held = rest.filter(({ state }) => state === 'held');
    showWaiting(running, held);
    fill(byId('running'), [running, held], () => [
      ...running.map((scan) => banner(scan, nameOf(scan), stateOf(scan).text)),
      waiting(held, nameOf),
    ]);
    const address = systemOf(profiles());
    fill(list, [sorted, words, address], () =>
      sorted.length === 0 && running.length === 0
        ? [element('li', { class: 'empty' }, ...nothing(words, address))]
        : sorted.map((scan) => scanItem(scan, nameOf(scan))),
    );
  }

  const nameOf = (/** @type {ScanSummary} */ scan) => nameIn(profiles(), scan);

  older.addEventListener('click', () => {
    const last = list.lastElementChild?.querySelector('a')?.getAttribute('href');
    count = Math.min(MOST, count + 2 * PER_PAGE);
    void load().then(() => focusAfter(list, last));
  });
  search.addEventListener('input', () => {
    clearTimeout(typed);
    typed = setTimeout(() => void load(), TYPED_MS);
    /* An on-screen keyboard may cover the results. */
    search.scrollIntoView();
  });
  return {
    load,
    clear: () => (search.value = ''),
  };
}

/**
 * @param {import('../types.d.ts').ProfileSummary[]} profiles
 * @param {ScanSummary} scan
 */
function nameIn(profiles, { title, profile, scan_id }) {
  const used = profiles.find(({ name }) => name === profile);
  return title || (used && labelOf(used)) || profile || scan_id;
}

/**
 * The document system's address for browsers.
 * @param {import('../types.d.ts').ProfileSummary[]} profiles
 */
function systemOf(profiles) {
  return profiles.flatMap((one) => one.public_urls).find((address) => address !== null);
}

/**
 * After "show more", focuses the first added scan. Older scans that need attention may precede it.
 * @param {Element} list
 * @param {string | null | undefined} last address of the last scan before
 */
function focusAfter(list, last) {
  const next = list.querySelector(`[href="${last}"]`)?.parentElement?.nextElementSibling;
  next?.querySelector('a')?.focus();
}

/** Maximum length of the list. Older scans are found by searching for their title. */
const MOST = 96;

/** @param {ScanSummary} scan */
function needsSomebody({ state, failed_deliveries }) {
  return !['finished', 'discarded'].includes(state) || (failed_deliveries ?? 0) > 0;
}

/**
 * @param {string} words
 * @param {string | null | undefined} address
 */
function nothing(words, address) {
  if (words === '') {
    return [
      icon('scan'),
      element('strong', {}, texts.noScans),
      element('span', { class: 'facts' }, texts.noScansAdvice),
    ];
  }
  const href = address && searchIn(address, words, 'query');
  return [
    texts.nothingFound,
    href && element('a', { class: 'open', href, target: '_blank', rel: 'noopener' }, texts.findIt),
  ];
}

/**
 * Counts both sides of a card as one page.
 * @param {ScanSummary[]} scans
 * @param {import('../types.d.ts').ProfileSummary[]} profiles
 */
function asPrinted(scans, profiles) {
  const cards = profiles.filter(({ kind }) => kind === 'card').map(({ name }) => name);
  return scans.map((scan) => {
    if (!cards.includes(scan.profile ?? '')) return scan;
    const pages = scan.kept_page_count ?? scan.page_count ?? 0;
    return { ...scan, kept_page_count: Math.ceil(pages / 2) };
  });
}

/**
 * The banner of the scan that waits. Several waiting scans share one banner.
 * @param {ScanSummary[]} held
 * @param {(scan: ScanSummary) => string} nameOf
 */
function waiting(held, nameOf) {
  const [first] = held;
  const text = texts.waiting(held.length);
  if (!first || held.length === 1) return first && banner(first, nameOf(first), text);
  const summary = element('summary', {}, icon('pause'), element('strong', {}, text));
  const banners = held.map((scan) => {
    const time = scan.started_at ? timeText(scan.started_at) : '';
    return banner(scan, time, nameOf(scan));
  });
  return element('details', { class: 'banner' }, summary, ...banners);
}

/**
 * Leads to the banners, which are below the buttons, since buttons that move are pressed by mistake.
 * @param {ScanSummary[]} running
 * @param {ScanSummary[]} held
 */
function showWaiting(running, held) {
  const scans = [...running, ...held];
  const [first] = scans;
  byId('waiting').hidden = !first;
  if (!first) return;
  const { mark, text } = stateOf(first);
  const labels = [running.length > 0 && text, held.length > 0 && texts.waiting(held.length)];
  byId('waiting').setAttribute('aria-label', labels.filter(Boolean).join('. '));
  fill(byId('waiting'), [mark, scans.length], () => [icon(mark), `${scans.length}`]);
}

function focusBanners() {
  const banners = byId('running');
  banners.scrollIntoView({ block: 'center' });
  (banners.querySelector('summary') ?? banners.querySelector('a'))?.focus({ preventScroll: true });
}

/**
 * @param {ScanSummary} scan
 * @param {string} name
 * @param {string} what
 */
function banner(scan, name, what) {
  const { scan_id, page_count, kept_page_count } = scan;
  return element(
    'a',
    { class: 'banner', href: `#scan=${scan_id}` },
    icon(stateOf(scan).mark),
    element(
      'span',
      {},
      element('strong', {}, what),
      element(
        'span',
        { class: 'facts' },
        `${texts.pages(kept_page_count ?? page_count ?? 0)} · ${name}`,
      ),
    ),
  );
}

/**
 * @param {ScanSummary} scan
 * @param {string} name
 */
function scanItem(scan, name) {
  const { scan_id, started_at, page_count, kept_page_count, document_count } = scan;
  const facts = [
    started_at && timeText(started_at),
    page_count !== null && texts.pages(kept_page_count ?? page_count),
    (document_count ?? 0) > 1 && texts.documents(document_count ?? 0),
  ];
  const { tone, mark, text } = stateOf(scan);
  return element(
    'li',
    {},
    element(
      'a',
      { href: `#scan=${scan_id}` },
      (page_count ?? 0) > 0
        ? picture(scan_id, scan.first_page ?? { page: 1, turned: 0, crop: null })
        : element('span', { class: 'no-page' }),
      element(
        'span',
        {},
        element('strong', {}, name),
        element('span', { class: 'facts' }, facts.filter(Boolean).join(' · ')),
        element('span', { class: `outcome ${tone}` }, icon(mark), text),
      ),
    ),
  );
}

/**
 * @param {ScanSummary} scan
 * @returns {{ tone: string, mark: Parameters<typeof icon>[0], text: string }}
 */
function stateOf(scan) {
  const { state, error, failed_deliveries } = scan;
  if (state === 'finished') {
    return (failed_deliveries ?? 0) > 0
      ? { tone: 'bad', mark: 'warning', text: texts.donePartly }
      : { tone: 'good', mark: 'check', text: texts.done };
  }
  const settled = SETTLED[state];
  if (settled) return settled;
  if (isRunning(scan))
    return { tone: 'busy', mark: 'scan', text: texts[RUNNING[scan.state] ?? 'scanning'] };
  const code = error?.error ?? CODES[state] ?? '';
  return { tone: 'bad', mark: 'warning', text: explain(code)?.[0] ?? texts.failed };
}

/** @type {Partial<Record<ScanSummary['state'], ReturnType<typeof stateOf>>>} */
const SETTLED = {
  held: { tone: 'wait', mark: 'pause', text: texts.held },
  discarded: { tone: 'gone', mark: 'cross', text: explain('scan_discarded')?.[0] ?? '' },
};

/** @type {Partial<Record<ScanSummary['state'], string>>} */
const CODES = {
  interrupted: 'scan_interrupted',
  unreadable: 'scan_record_unreadable',
};

/** @type {Partial<Record<ScanSummary['state'], 'scanning' | 'reading' | 'filing'>>} */
const RUNNING = { scanning: 'scanning', processing: 'reading', delivering: 'filing' };
