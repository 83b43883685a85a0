import { byId, element, fill, icon, kindById } from '../element.js';
import { searchIn } from '../scan/actions.js';
import { numberOf, shownPage } from '../scan/scan-view.js';
import { rangeText, texts } from '../texts/texts.js';
import { picture } from './picture.js';

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
 * A card for each document, with its title and its state at each destination.
 * @param {ScanView} scan
 * @param {(filename: string) => HTMLElement | undefined} resend creates the button that resends a document
 * @param {(string | undefined)[]} below addresses that the buttons below open
 * @param {import('../texts/later.js').Say} [say] undefined until loaded
 * @returns {HTMLElement[]}
 */
export function documentCards(scan, resend, below, say) {
  return scan.documents.map((document) => documentCard(scan, document, { resend, below }, say));
}

/**
 * @param {ScanView} scan
 * @param {DocumentView} document
 * @param {{ resend: (filename: string) => HTMLElement | undefined, below: (string | undefined)[] }} buttons
 * @param {import('../texts/later.js').Say} [say]
 */
function documentCard(scan, document, { resend, below }, say) {
  const { filename, title, pages, pageCount, deliveries } = document;
  const [first] = pages;
  const address = `scans/${scan.scan_id}/files/${filename}`;
  const numbers = pages.map((page) => numberOf(scan, page));
  const isCard = scan.kind === 'card' && pageCount < pages.length;
  const range =
    numbers.length === 1 ? texts.page(numbers[0] ?? 1) : texts.pageRange(rangeText(numbers));
  const facts = isCard ? texts.kinds.card : range;
  return element(
    'li',
    { class: 'document' },
    first !== undefined && picture(scan.scan_id, shownPage(scan, first)),
    element('div', {}, element('h2', {}, title), element('p', { class: 'facts' }, facts)),
    deliveries.some(({ state }) => state === 'accepted') && menu(title, resend(filename)),
    element(
      'div',
      { class: 'below' },
      ...deliveries.map((delivery) => deliveryLine(delivery, title, say)),
      !below.includes(address) &&
        element(
          'a',
          { class: 'open', href: address, target: '_blank', rel: 'noopener' },
          texts.openDocument,
          element('span', { class: 'unseen' }, ` ${title}`),
        ),
      'canShare' in navigator && sharing(address, title),
    ),
  );
}

/**
 * @param {string} title
 * @param {HTMLElement | undefined} resend
 */
function menu(title, resend) {
  if (!resend) return undefined;
  return element(
    'details',
    { class: 'menu' },
    element(
      'summary',
      {},
      icon('menu'),
      element('span', { class: 'unseen' }, texts.documentMenu(title)),
    ),
    element('div', {}, element('p', { class: 'facts' }, texts.resendAdvice), resend),
  );
}

/**
 * Loads the share button on demand, since most browsers cannot share over plain http.
 * @param {string} address
 * @param {string} name
 */
function sharing(address, name) {
  const place = element('span');
  void import('../later.js').then(
    ({ shareButton }) => place.replaceWith(shareButton(address, name) ?? ''),
    () => {},
  );
  return place;
}

/**
 * @param {DocumentView['deliveries'][number]} delivery
 * @param {string} title
 * @param {import('../texts/later.js').Say} [say]
 */
function deliveryLine({ state, cause, address }, title, say) {
  const { icon: name, text } = STATES[state];
  return element(
    'p',
    { class: `delivery ${state}` },
    icon(name),
    element(
      'span',
      {},
      text,
      say !== undefined &&
        ['refused', 'unknown'].includes(state) &&
        element('span', { class: 'cause' }, say(cause) ?? texts.causeUnknown),
      address !== null &&
        ['accepted', 'unknown'].includes(state) &&
        element(
          'a',
          { class: 'open', href: searchIn(address, title), target: '_blank', rel: 'noopener' },
          texts.findIt,
        ),
    ),
  );
}

/** @type {WeakMap<Element, string>} */
const shown = new WeakMap();

/**
 * Shows the pages of a scan. Reuses elements, so that their images are not reloaded.
 * @param {HTMLElement} list
 * @param {ScanView | undefined} scan
 */
export function showPages(list, scan) {
  const id = scan?.scan_id ?? '';
  if (shown.get(list) !== id) list.replaceChildren();
  shown.set(list, id);
  list.hidden = !scan || scan.pages.length === 0;
  /* On a wide screen, the pages are shown beside the other parts. */
  byId('scan').classList.toggle('wide', !list.hidden);
  if (!scan) return;
  /* Follows new pages only if the end of the strip is visible. */
  const isAtEnd = list.scrollLeft + list.clientWidth > list.scrollWidth - AT_END_PX;
  const items = new Map([...list.children].map((item) => [item.id, item]));
  const wanted = scan.pages.map((page) => {
    const item = items.get(`page-${page}`) ?? pageItem(page);
    const reason = scan.dropped.find((dropped) => dropped.page === page)?.reason;
    item.className = reason ? 'dropped' : scan.read.includes(page) ? 'read' : '';
    const [image, caption] = item.firstElementChild?.children ?? [];
    if (image)
      fill(image, shownPage(scan, page), () => [picture(scan.scan_id, shownPage(scan, page))]);
    const text = captionOf(scan, page);
    if (caption && caption.textContent !== text) caption.textContent = text;
    return item;
  });
  /* Only new elements are inserted: moved ones would lose their scroll position and flicker. */
  wanted.forEach((item, index) => {
    const there = list.children[index];
    if (there !== item) list.insertBefore(item, there ?? null);
  });
  while (list.children.length > wanted.length) list.lastElementChild?.remove();
  list.dataset['state'] = scan.state;
  if (isAtEnd) list.scrollLeft = list.scrollWidth;
}

/** In pixels. The strip follows new pages if it is scrolled to within this distance of its end. */
const AT_END_PX = 120;

/**
 * Shows the newest page large while the feeder runs. Skips pages if images load too slowly.
 * @returns {(scan: ScanView | undefined) => void}
 */
export function createNewest() {
  const figure = byId('newest');
  const image = kindById('newest-picture', HTMLImageElement);
  let shown = '';
  let wanted = '';
  let page = 0;
  let number = 0;
  let isLoading = false;

  function load() {
    if (isLoading || shown === wanted || wanted === '') return;
    isLoading = true;
    shown = wanted;
    number = page;
    image.src = shown;
  }

  function settled() {
    isLoading = false;
    byId('newest-number').textContent = texts.page(number);
    load();
  }

  image.addEventListener('load', settled);
  image.addEventListener('error', settled);

  return (scan) => {
    /* The highest page number, since backs are inserted between the fronts. */
    const newest =
      scan?.state === 'scanning' && scan.pages.length > 0 ? Math.max(...scan.pages) : undefined;
    figure.hidden = newest === undefined;
    wanted = scan && newest !== undefined ? `scans/${scan.scan_id}/pages/${newest}/preview` : '';
    page = newest ?? 0;
    load();
  };
}

/** @param {number} page */
function pageItem(page) {
  return element(
    'li',
    { id: `page-${page}` },
    element('button', { type: 'button' }, element('span', { class: 'sheet-of' }), element('span')),
  );
}

/**
 * @param {ScanView} scan
 * @param {number} page
 */
function captionOf(scan, page) {
  const { dropped, edits } = scan;
  const reason = dropped.find((one) => one.page === page)?.reason;
  const edit = edits.find((one) => one.page === page);
  const starts = edit?.starts ? ` · ${texts.startsDocument}` : '';
  const cropped = edit?.crop ? ` · ${texts.croppedPage}` : '';
  const left = reason ? `: ${reasonText(reason)}` : '';
  return texts.page(numberOf(scan, page)) + left + cropped + starts;
}

/** @param {'blank' | 'separator' | 'replaced' | 'person'} reason */
function reasonText(reason) {
  const { blankPage: blank, separatorPage: separator, replacedPage: replaced } = texts;
  return { blank, separator, replaced, person: texts.personPage }[reason];
}
