import { get } from '../api.js';
import { byId, element, fill, icon } from '../element.js';
import { isRunning } from '../scan/scan-view.js';
import { explain, texts, timeText } from '../texts/texts.js';
import { picture } from './documents.js';

/** @typedef {import('../types.d.ts').ScanSummary} ScanSummary */

const PER_PAGE = 6;

/** The scans that are shown, newest first. */
export function createRecent() {
  const container = byId('recent');
  /** @type {ScanSummary[]} */
  let scans = [];
  /** @type {string | null} */
  let next = null;

  /** @param {string} query */
  async function load(query) {
    const { status, body } = await get(`scans?limit=${PER_PAGE}${query}`);
    if (status !== 200) return;
    scans = query === '' ? body.scans : [...scans, ...body.scans];
    next = body.next;
    container.hidden = false;
    fill(container, [scans, next], () => [
      element('h2', { id: 'recent-title' }, texts.recent),
      scans.length === 0
        ? element('p', { class: 'facts' }, texts.noScans)
        : element('ul', {}, ...scans.map(scanItem)),
      next !== null &&
        element(
          'button',
          { type: 'button', class: 'quiet', click: () => void older() },
          texts.older,
        ),
    ]);
  }

  async function older() {
    const first = scans.length;
    await load(`&before=${next}`);
    const link = container.querySelectorAll('a')[first];
    link?.focus();
  }

  return { load: () => load('') };
}

/** @param {ScanSummary} scan */
function scanItem(scan) {
  const { scan_id, profile, started_at, page_count, document_count } = scan;
  const facts = [
    started_at && timeText(started_at),
    page_count !== null && texts.pages(page_count),
    Boolean(document_count) && texts.documents(document_count ?? 0),
  ];
  const { tone, mark, text } = stateOf(scan);
  return element(
    'li',
    {},
    element(
      'a',
      { href: `#scan=${scan_id}` },
      (page_count ?? 0) > 0
        ? picture({ scan_id, turned: {} }, 1)
        : element('span', { class: 'no-page' }),
      element(
        'span',
        {},
        element('strong', {}, profile ?? scan_id),
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
      : { tone: 'good', mark: 'check', text: texts.doneNowhere };
  }
  const waiting = WAITING[state];
  if (waiting !== undefined) return { tone: 'wait', mark: 'pause', text: waiting };
  if (isRunning(scan))
    return { tone: 'busy', mark: 'scan', text: texts[RUNNING[scan.state] ?? 'scanning'] };
  const code = error?.error ?? CODES[state] ?? '';
  return { tone: 'bad', mark: 'warning', text: explain(code)?.[0] ?? texts.failed };
}

/** @type {Partial<Record<ScanSummary['state'], string | undefined>>} */
const WAITING = { held: texts.held, discarded: explain('scan_discarded')?.[0] };

/** @type {Partial<Record<ScanSummary['state'], string>>} */
const CODES = {
  interrupted: 'scan_interrupted',
  unreadable: 'scan_record_unreadable',
};

/** @type {Partial<Record<ScanSummary['state'], 'scanning' | 'reading' | 'filing'>>} */
const RUNNING = { scanning: 'scanning', processing: 'reading', delivering: 'filing' };
