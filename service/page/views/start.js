import { byId, element, fill, icon, kindById } from '../element.js';
import { language, locale, texts } from '../texts/texts.js';
import { choiceOf, choiceText, waits } from './choices.js';

/** @typedef {import('../types.d.ts').ProfileSummary} ProfileSummary */

/** @typedef {Pick<ProfileSummary, 'name' | 'label'> & Partial<ProfileSummary>} Labelled */

/** With more profiles than this, a search field is shown. */
const MANY = 8;

/**
 * The name of a profile in the page's language, or else the first one.
 * @param {Labelled} profile
 */
export function labelOf({ name, label, description }) {
  const own =
    typeof label === 'string' ? label : (label?.[language] ?? Object.values(label ?? {})[0]);
  return own || description || name;
}

/**
 * A name for a new profile: the letters a–z of its label without accents, and a random ending.
 * @param {string} label
 */
export function newName(label) {
  const plain = label
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '');
  const [random = 0] = crypto.getRandomValues(new Uint16Array(1));
  return `${plain || 'profile'}-${random.toString(16).padStart(4, '0')}`;
}

/**
 * The profile buttons. Using one does not move it, since people press a place out of habit.
 * @param {object} presses
 * @param {(profile: ProfileSummary) => void} presses.scan
 * @param {(profile: ProfileSummary) => void} presses.options
 * @param {(profile: string) => string[]} presses.wishes the wishes for the next scan of a button, in words
 * @returns {(profiles: ProfileSummary[]) => void} shows these profiles
 */
export function createProfiles({ scan, options, wishes }) {
  const search = kindById('profile-search', HTMLInputElement);
  search.placeholder = texts.searchProfiles;
  search.setAttribute('aria-label', texts.searchProfiles);
  search.addEventListener('input', show);
  /** @type {ProfileSummary[]} */
  let sorted = [];

  function show() {
    const isSearched = sorted.length > MANY;
    search.hidden = !isSearched;
    const wanted = isSearched ? search.value.trim().toLowerCase() : '';
    const found = sorted
      .filter((one) => `${labelOf(one)} ${one.name}`.toLowerCase().includes(wanted))
      .map((profile) => ({
        profile,
        chosen: [choiceText(choiceOf(profile.name)), ...wishes(profile.name)].filter(Boolean),
        isHeld: waits(),
      }));
    fill(byId('profiles'), [found, sorted.length], () =>
      sorted.length === 0
        ? [element('p', {}, texts.noProfilesAdvice)]
        : found.map(({ profile, chosen, isHeld }, index) =>
            profileCard(profile, { chosen, isHeld, isFirst: index === 0 }, { scan, options }),
          ),
    );
  }

  return (profiles) => {
    byId('start-title').textContent = profiles.length > 0 ? texts.start : texts.noProfiles;
    sorted = inOrder(profiles);
    show();
  };
}

/**
 * @param {ProfileSummary} profile
 * @param {{ chosen: string[], isHeld: boolean, isFirst: boolean }} shown `chosen`: the choices for the next scan, in words
 * @param {{ scan: (profile: ProfileSummary) => void, options: (profile: ProfileSummary) => void }} presses
 */
function profileCard(profile, { chosen, isHeld, isFirst }, { scan, options }) {
  const { name, kind } = profile;
  const id = `profile-${name}`;
  const press = () => scan(profile);
  const isBroken = kind === null;
  return element(
    'div',
    { class: `card${isFirst ? ' first' : ''}${isBroken ? ' broken' : ''}` },
    element(
      'button',
      { type: 'button', class: 'profile', click: press, 'aria-disabled': isBroken && 'true' },
      element('span', { class: `tile ${kind ?? ''}` }, icon(profile.icon ?? kind ?? 'warning')),
      element(
        'span',
        {},
        element('strong', { id }, labelOf(profile)),
        ' ',
        chosen.length > 0 && element('small', { class: 'chosen' }, chosen.join(' · ')),
        chosen.length === 0 && element('small', {}, factsOf(profile)),
        ' ',
        isHeld && !isBroken && element('small', { class: 'chosen' }, icon('pause'), texts.holdMark),
      ),
    ),
    element(
      'button',
      {
        type: 'button',
        class: 'more',
        id: `options-${name}`,
        'aria-describedby': id,
        click: () => options(profile),
      },
      icon('sliders'),
      element('span', {}, texts.options),
    ),
  );
}

/** @param {ProfileSummary} profile */
function factsOf({ kind, mode, resolution }) {
  if (kind === null) return texts.brokenButton;
  return `${texts.kinds[kind]} · ${texts.modes[mode ?? ''] ?? mode} · ${resolution}\u00A0dpi`;
}

/**
 * The default first, then the operator's profiles, then saved buttons. A new button is always below
 * the operator's. Sorted by label in natural order (2 before 10).
 * @template {Labelled} Profile
 * @param {Profile[]} profiles
 */
export function inOrder(profiles) {
  const place = (/** @type {Profile} */ { name, saved }) =>
    name === 'default' ? 0 : saved ? 2 : 1;
  const names = new Intl.Collator(locale, { numeric: true });
  // oxlint-disable-next-line unicorn/no-array-sort -- toSorted is newer than the browsers of some households
  return [...profiles].sort(
    (one, other) => place(one) - place(other) || names.compare(labelOf(one), labelOf(other)),
  );
}
