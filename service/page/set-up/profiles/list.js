import { element, icon } from '../../element.js';
import { locale } from '../../texts/texts.js';
import { notice } from '../fields.js';
import { labelText, profileWords as words } from './texts.js';

/** @typedef {import('./types.d.ts').ProfileEntry} ProfileEntry */

/**
 * All profiles. Those of the operator are shown with their file, and cannot be opened.
 * @param {import('./types.d.ts').ProfilesList} list
 * @param {string} said what was just saved, or an empty text
 * @returns {Pick<import('../screen.js').Screen, 'title' | 'lead' | 'content' | 'isBackFirst'>}
 */
export function profilesScreen({ profiles, left }, said) {
  const add = element('a', { class: 'open', href: '#set-up=profile/' }, words.add);
  return {
    title: words.title,
    lead: words.lead,
    content: [
      said !== '' && element('div', { role: 'status' }, notice('good', said)),
      left > 0 ? add : element('p', { class: 'facts' }, words.full),
      ...byLabel(profiles).map(card),
    ],
    isBackFirst: true,
  };
}

/** @param {ProfileEntry} entry */
function shownLabel({ label, profile, name }) {
  return labelText(label ?? profile?.label ?? null, name);
}

/** @param {ProfileEntry[]} profiles */
function byLabel(profiles) {
  // oxlint-disable-next-line unicorn/no-array-sort -- `toSorted` is too new
  return [...profiles].sort((one, other) =>
    shownLabel(one).localeCompare(shownLabel(other), locale),
  );
}

/** @param {ProfileEntry} entry */
function card(entry) {
  const { name, by, fixed_by: file, problems, profile } = entry;
  const isWrong = problems.length > 0;
  const state = stateOf(by, file);
  const text = element(
    'span',
    {},
    element('strong', {}, shownLabel(entry)),
    element('small', { class: 'facts' }, state),
    isWrong && element('small', { class: 'problem' }, words.broken, ' ', problemsOf(problems)),
  );
  const tile = element('span', { class: 'tile' }, icon(profile?.icon ?? 'sliders'));
  if (file !== null) return element('div', { class: 'card setting' }, tile, text);
  const link = { class: `card setting ${isWrong ? 'wait' : ''}`, href: `#set-up=profile/${name}` };
  return element('a', link, tile, text, icon('next'));
}

/** @param {ProfileEntry['by']} by @param {string | null} file */
function stateOf(by, file) {
  if (file !== null) return words.fixed(file);
  return by === 'product' ? words.shipped : words.changed;
}

/** The messages of the service are English. @param {ProfileEntry['problems']} problems */
function problemsOf(problems) {
  return element('span', { lang: 'en' }, problems.map(({ message }) => message).join(' '));
}
