import { byId, element, fill, icon, kindById } from '../element.js';
import { language, locale, texts } from '../texts/texts.js';

/** @typedef {import('../types.d.ts').ProfileSummary} ProfileSummary */

/** Where the browser keeps the names of the profiles that were used, the last one first. */
const USED_PROFILES = 'used-profiles';
/** More than these are looked for by their names. */
const MANY = 8;

/**
 * What people call a profile, in their language where it has that.
 * @param {ProfileSummary} profile
 */
export function labelOf({ name, label, description }) {
  const own =
    typeof label === 'string' ? label : (label?.[language] ?? Object.values(label ?? {})[0]);
  return own || description || name;
}

/**
 * The cards of the profiles: one press scans. The one used last before the page was opened comes first and stands out: none changes its
 * place under a finger.
 * @param {(profile: string) => void} onPress
 * @returns {(profiles: ProfileSummary[]) => string | undefined} shows these, and returns the name of the first one
 */
export function createProfiles(onPress) {
  const search = kindById('profile-search', HTMLInputElement);
  search.placeholder = texts.searchProfiles;
  search.setAttribute('aria-label', texts.searchProfiles);
  search.addEventListener('input', show);
  const used = [...kept(), 'default'];
  /** @type {ProfileSummary[]} */
  let sorted = [];

  function show() {
    const isSearched = sorted.length > MANY;
    search.hidden = !isSearched;
    const wanted = isSearched ? search.value.trim().toLowerCase() : '';
    const found = sorted.filter((one) =>
      `${labelOf(one)} ${one.name}`.toLowerCase().includes(wanted),
    );
    fill(byId('profiles'), [found, sorted.length], () =>
      sorted.length === 0
        ? [element('p', {}, texts.noProfilesAdvice)]
        : found.map((profile, index) => profileCard(profile, index === 0, onPress)),
    );
  }

  return (profiles) => {
    byId('start-title').textContent = profiles.length > 0 ? texts.start : texts.noProfiles;
    sorted = byUse(profiles, used);
    show();
    return sorted[0]?.name;
  };
}

/**
 * @param {ProfileSummary} profile
 * @param {boolean} isFirst
 * @param {(profile: string) => void} onPress
 */
function profileCard(profile, isFirst, onPress) {
  const { name, kind, mode, resolution } = profile;
  const press = () => {
    keep(name);
    onPress(name);
  };
  return element(
    'button',
    { type: 'button', class: isFirst ? 'profile primary' : 'profile', click: press },
    icon(kind),
    element(
      'span',
      {},
      element('strong', {}, labelOf(profile)),
      element(
        'small',
        {},
        `${texts.kinds[kind]} · ${texts.modes[mode] ?? mode} · ${resolution} dpi`,
      ),
    ),
  );
}

/**
 * Those used last first, then the default, then the others as people count: 2 before 10.
 * @param {ProfileSummary[]} profiles
 * @param {string[]} used
 */
function byUse(profiles, used) {
  const place = (/** @type {ProfileSummary} */ { name }) =>
    used.includes(name) ? used.indexOf(name) : used.length;
  const names = new Intl.Collator(locale, { numeric: true });
  // oxlint-disable-next-line unicorn/no-array-sort -- toSorted is newer than the browsers of some households
  return [...profiles].sort(
    (one, other) => place(one) - place(other) || names.compare(labelOf(one), labelOf(other)),
  );
}

/** @returns {string[]} */
function kept() {
  try {
    const names = JSON.parse(localStorage.getItem(USED_PROFILES) ?? '[]');
    return Array.isArray(names) ? names : [];
  } catch {
    /* The browser blocks storage: then the default comes first, and everything else works. */
    return [];
  }
}

/** @param {string} name */
function keep(name) {
  const names = [name, ...kept().filter((one) => one !== name)].slice(0, MANY);
  try {
    localStorage.setItem(USED_PROFILES, JSON.stringify(names));
  } catch {
    /* As above. */
  }
}

/**
 * What else the next scan is asked for: whether it waits before it is filed, and the fields, which are loaded when they are opened, as
 * most scans need none.
 * @returns {{ show: (profile: string | undefined) => void, take: () => Record<string, unknown> | undefined }} `take` gives what goes
 *   into the request, and empties the fields; undefined where they have to be corrected first
 */
export function createOptions() {
  const container = byId('options');
  /** @type {ReturnType<typeof import('./options.js').createFields> | undefined} */
  let fields;
  /** @type {string | undefined} */
  let profile;
  const hold = kindById('hold', HTMLInputElement);
  byId('hold-text').textContent = texts.hold;
  byId('hold-hint').textContent = texts.holdHint;
  container.append(element('summary', {}, texts.options));
  container.addEventListener('toggle', () => void load());
  async function load() {
    const { createFields } = await import('./options.js');
    fields ??= createFields(container);
    if (profile !== undefined) await fields.load(profile);
  }
  return {
    show: (shown) => {
      const isSame = profile === shown;
      profile = shown;
      container.hidden = byId('hold-choice').hidden = shown === undefined;
      if (shown !== undefined && !isSame) void fields?.load(shown);
    },
    take: () => {
      const taken = fields ? fields.take() : {};
      if (!taken) {
        container.toggleAttribute('open', true);
        return undefined;
      }
      const held = hold.checked && { hold: true };
      hold.checked = false;
      return { ...taken, ...held };
    },
  };
}
