import { element } from '../element.js';
import { explain, texts } from '../texts/texts.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ErrorBody} ErrorBody
 * @typedef {import('../scan/screen.js').ScreenState} ScreenState
 */

/**
 * @param {ScreenState} screen
 * @param {import('../texts/later.js').Say} say
 */
export function notes({ scan, error }, say) {
  const deliveries = (scan?.documents ?? []).flatMap((one) => one.deliveries);
  const warnings = (scan?.warnings ?? [])
    .filter((one) => scan && isCurrent(one, scan))
    .map(({ text, said }) => ({ text, own: say(said, scan) }));
  const known = warnings.filter(({ own }) => own !== undefined);
  /* Messages without a translation are shown in the details. */
  const others = warnings.filter(({ own }) => own === undefined).map(({ text }) => text);
  const causes = deliveries.filter(({ cause }) => !say(cause)).map(({ error }) => error);
  const failure = error ?? scan?.error;
  const words = [...others, ...causes, failure ? ownWords(failure) : ''].filter(
    (text) => text !== '',
  );
  return [
    warnings.length > 0 &&
      list(
        `notes-${scan?.scan_id}-${warnings.length}`,
        known.map(({ own }) => own),
        others.length,
      ),
    (words.length > 0 || failure) && details(words, failure),
  ];
}

/**
 * The warnings. Once folded, they stay so until there are others.
 * @param {string} id
 * @param {(string | undefined)[]} known
 * @param {number} others number of warnings that are shown in the details
 */
function list(id, known, others) {
  const isFolded = document.getElementById(id)?.hasAttribute('open') === false;
  return element(
    'details',
    { class: 'note', id, open: !isFolded },
    element('summary', {}, element('h2', {}, texts.warnings)),
    element(
      'ul',
      {},
      ...known.map((text) => element('li', {}, text)),
      others > 0 && element('li', {}, texts.otherNotes(others)),
    ),
  );
}

/**
 * Messages of the service in English, for the operator.
 * @param {string[]} words
 * @param {ErrorBody | null | undefined} failure
 */
function details(words, failure) {
  return element(
    'details',
    { class: 'note' },
    element('summary', {}, texts.details),
    ...words.map((text) => element('p', { lang: 'en' }, text)),
    failure && element('p', {}, element('code', {}, failure.error)),
  );
}

/**
 * False for a warning that is repeated, or that no longer matters.
 * @param {ScanView['warnings'][number]} warning
 * @param {ScanView} scan
 */
function isCurrent(warning, { warnings, documents, state, trigger }) {
  const { text, said } = warning;
  if (said?.code === 'sheets_may_be_missing') {
    /* A person who filed this scan has checked the feeder; a triggered scan may have filed itself. */
    if (state === 'finished' && !trigger) return false;
    const same = warnings.filter((one) => one.said?.code === said.code);
    const placed = same.filter((one) => one.said?.facts.page !== undefined);
    return warning === (placed[placed.length - 1] ?? same[0]);
  }
  if (said?.code === 'destination_down') {
    const deliveries = documents.flatMap((one) => one.deliveries);
    return deliveries.length === 0 || deliveries.some((one) => one.state !== 'accepted');
  }
  return warning === warnings.find((one) => one.text === text);
}

/** Error codes whose advice refers to the service's message. */
const QUOTED = ['scan_option_rejected', 'processing_failed'];

/**
 * The message of an error, or only the words of a program in it if the page has its own sentence.
 * @param {ErrorBody} failure
 */
function ownWords({ error, message }) {
  const isQuoted = !explain(error) || QUOTED.includes(error);
  return isQuoted ? message : (/\((.+)\)$/.exec(message)?.[1] ?? '');
}
