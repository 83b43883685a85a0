import { byId, element, fill } from '../element.js';
import { texts } from '../texts/texts.js';

/** @typedef {import('../types.d.ts').ProfileSummary} ProfileSummary */

/** Where the browser keeps the profile that was used last. */
const LAST_PROFILE = 'last-profile';

/**
 * Shows a button per profile: one press scans. The one used last stands out.
 * @param {ProfileSummary[]} profiles
 * @param {(profile: string) => void} onPress
 */
export function showProfiles(profiles, onPress) {
  const last = lastProfile(profiles);
  byId('start-title').textContent = profiles.length > 0 ? texts.start : texts.noProfiles;
  fill(byId('profiles'), [profiles, last], () =>
    profiles.length === 0
      ? [element('p', {}, texts.noProfilesAdvice)]
      : profiles.map(({ name, description }) =>
          element(
            'button',
            {
              type: 'button',
              class: name === last ? 'profile primary' : 'profile',
              click: () => {
                stored((storage) => storage.setItem(LAST_PROFILE, name));
                onPress(name);
              },
            },
            element('strong', {}, description || name),
            Boolean(description) && element('span', {}, name),
          ),
        ),
  );
}

/**
 * The profile that was used last in this browser, or else the default.
 * @param {ProfileSummary[]} profiles
 */
export function lastProfile(profiles) {
  const names = profiles.map(({ name }) => name);
  const wanted = [stored((storage) => storage.getItem(LAST_PROFILE)), 'default'];
  return wanted.find((name) => name !== null && names.includes(name)) ?? names[0];
}

/**
 * Null where the browser blocks storage, which throws: then the default stands out, and everything else works.
 * @param {(storage: Storage) => string | null | void} use
 */
function stored(use) {
  try {
    return use(localStorage) ?? null;
  } catch {
    return null;
  }
}

/**
 * The fields for the next scan, which are loaded when they are opened: most scans need none.
 * @returns {{ show: (profile: string | undefined) => void, take: () => Record<string, unknown> }} `take` gives what goes into the
 *   request, and empties the fields
 */
export function createOptions() {
  const container = byId('options');
  /** @type {ReturnType<typeof import('./options.js').createFields> | undefined} */
  let fields;
  /** @type {string | undefined} */
  let profile;
  container.append(element('summary', {}, texts.options));
  container.addEventListener('toggle', () => void load());
  async function load() {
    const { createFields } = await import('./options.js');
    fields ??= createFields(container);
    if (profile !== undefined) await fields.load(profile);
  }
  return {
    show: (shown) => {
      profile = shown;
      container.hidden = shown === undefined;
      if (shown !== undefined) void fields?.load(shown);
    },
    take: () => fields?.take() ?? {},
  };
}
