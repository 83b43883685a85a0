import { element, icon } from '../element.js';
import { rangeText, texts } from '../texts/texts.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').DocumentView} DocumentView
 */

const STATES = /** @type {const} */ ({
  sending: { icon: 'send', text: texts.sending },
  accepted: { icon: 'check', text: texts.accepted },
  refused: { icon: 'cross', text: texts.refused },
  unknown: { icon: 'question', text: texts.unknown },
});

/**
 * A card per document: what it is, and what became of it at each destination.
 * @param {ScanView} scan
 * @returns {HTMLElement[]}
 */
export function documentCards(scan) {
  return scan.documents.map((document) => documentCard(scan, document));
}

/**
 * @param {ScanView} scan
 * @param {DocumentView} document
 */
function documentCard(scan, { filename, title, pages, confidence, deliveries }) {
  const [first] = pages;
  const facts = [pages.length === 1 ? texts.page(first ?? 1) : texts.pageRange(rangeText(pages))];
  if (confidence !== null) facts.push(texts.confidence(confidence));
  return element(
    'li',
    { class: 'document' },
    first !== undefined && picture(scan, first),
    element(
      'div',
      {},
      element('h2', {}, title),
      element('p', { class: 'facts' }, facts.join(' · ')),
      ...deliveries.map(deliveryLine),
      element(
        'a',
        {
          class: 'open',
          href: `scans/${scan.scan_id}/files/${filename}`,
          target: '_blank',
          rel: 'noopener',
        },
        texts.openDocument,
        element('span', { class: 'unseen' }, ` ${title}`),
      ),
    ),
  );
}

/** @param {DocumentView['deliveries'][number]} delivery */
function deliveryLine({ state, error }) {
  const { icon: name, text } = STATES[state];
  return element(
    'p',
    { class: `delivery ${state}` },
    icon(name),
    element(
      'span',
      {},
      text,
      error !== '' && element('span', { class: 'cause', lang: 'en' }, error),
    ),
  );
}

/**
 * A page as a small picture, turned as it was for reading. The text beside it says which page it is.
 * @param {Pick<ScanView, 'scan_id' | 'turned'>} scan
 * @param {number} page
 */
export function picture({ scan_id, turned }, page) {
  const picture = element('img', {
    class: `turned-${turned[page] ?? 0}`,
    src: `scans/${scan_id}/pages/${page}/preview`,
    alt: '',
    loading: 'lazy',
    decoding: 'async',
  });
  /* A page that has no preview is still there: its frame stays. */
  picture.addEventListener('error', () => picture.classList.add('missing'));
  return picture;
}

/** @type {WeakMap<Element, string>} */
const shown = new WeakMap();

/**
 * Shows the pages of a scan. Those that are there already stay as they are, and their pictures with them.
 * @param {HTMLElement} list
 * @param {ScanView | undefined} scan
 */
export function showPages(list, scan) {
  const id = scan?.scan_id ?? '';
  if (shown.get(list) !== id) list.replaceChildren();
  shown.set(list, id);
  list.hidden = !scan || scan.pages.length === 0;
  if (!scan) return;
  const items = new Map([...list.children].map((item) => [item.id, item]));
  const wanted = scan.pages.map((page) => {
    const item = items.get(`page-${page}`) ?? pageItem(scan, page);
    const reason = scan.dropped.find((dropped) => dropped.page === page)?.reason;
    item.className = reason ? 'dropped' : scan.read.includes(page) ? 'read' : '';
    const [image, caption] = item.children;
    if (image)
      image.className = image.className.replace(/turned-\d+/, `turned-${scan.turned[page] ?? 0}`);
    const text = texts.page(page) + (reason ? `: ${reasonText(reason)}` : '');
    if (caption && caption.textContent !== text) caption.textContent = text;
    return item;
  });
  if (wanted.some((item, index) => list.children[index] !== item)) list.replaceChildren(...wanted);
}

/**
 * @param {ScanView} scan
 * @param {number} page
 */
function pageItem(scan, page) {
  return element('li', { id: `page-${page}` }, picture(scan, page), element('span'));
}

/** @param {'blank' | 'separator' | 'replaced' | 'person'} reason */
function reasonText(reason) {
  const { blankPage: blank, separatorPage: separator, replacedPage: replaced } = texts;
  return { blank, separator, replaced, person: texts.personPage }[reason];
}
