import { get } from '../api.js';
import { byId, kindById } from '../element.js';
import { texts } from '../texts/texts.js';
import { choiceOf, keepWaits, waits } from './choices.js';
import { bringIntoView, showNotice } from './notice.js';
import { createRecent } from './recent.js';
import { createProfiles } from './start.js';

/**
 * @typedef {import('../types.d.ts').ScanRequest} ScanRequest
 * @typedef {import('../types.d.ts').ProfileSummary} ProfileSummary
 * @typedef {import('../types.d.ts').ProfilesBody} ProfilesBody
 */

/**
 * The title and tags for the next scan with a button.
 * @typedef {{ title: string, tags: { id: number, name: string }[] }} Wish
 */

/**
 * The home view: buttons and recent scans.
 * @param {(request: ScanRequest) => void} run
 * @returns {{ clear: () => void, checkAgain: () => void, refresh: (signal: AbortSignal) => Promise<number> }} `refresh` resolves with the status, and on 0
 *   keeps what is shown; `clear` empties the search field; `checkAgain` drops the shown problems of the set-up
 */
export function createHome(run) {
  const { wishes, scan } = createRequests(run, show);
  const showProfiles = createProfiles({
    scan,
    options: (profile) =>
      void openOptions(profile, { answer: () => answer, load, show, scan, wishes }),
    wishes: wishes.words,
  });
  /** @type {ProfilesBody} */
  let answer = { profiles: [], problems: [] };
  let isLoaded = false;
  let isChecked = false;
  const recent = createRecent(() => answer.profiles);

  function show() {
    const offered = offeredOf(answer.profiles);
    const choice = byId('hold-choice');
    choice.hidden = offered.length === 0;
    choice.classList.toggle('on', waits());
    byId('hold-hint').textContent = waits() ? texts.holdOn : texts.holdHint;
    showProfiles(offered);
  }

  async function load() {
    const { status, body } = await get('profiles');
    if (status !== 200) return status;
    answer = body;
    show();
    return status;
  }

  return {
    clear: recent.clear,
    checkAgain: () => {
      isChecked = false;
      byId('set-up').replaceChildren();
    },
    refresh: async (signal) => {
      const status = await load();
      if (signal.aborted) return status;
      if (!isLoaded && ![200, 401].includes(status)) {
        byId('start-title').textContent = texts.opening;
      }
      if (status !== 200) return status;
      isLoaded = true;
      /* Retries at the next refresh. */
      if (!isChecked) checkSetUp(answer.problems).catch(() => (isChecked = false));
      isChecked = true;
      await recent.load();
      return status;
    },
  };
}

/**
 * @param {ProfileSummary} profile
 * @param {object} parts
 * @param {() => ProfilesBody} parts.answer
 * @param {() => Promise<number>} parts.load reads it again
 * @param {() => void} parts.show
 * @param {(profile: ProfileSummary) => void} parts.scan
 * @param {ReturnType<typeof createWishes>} parts.wishes
 * @param {string} [problem] shown first
 */
async function openOptions(profile, parts, problem = '') {
  const { answer, load, show, scan, wishes } = parts;
  showNotice();
  const { openDialog } = await import('../later.js');
  openDialog(profile, {
    answer: answer(),
    problem,
    wish: wishes.of(profile.name),
    onChange: (wish) => {
      wishes.set(profile.name, wish);
      show();
    },
    onScan: () => scan(profile),
    onSaved: async (text, saved) => {
      showNotice(text);
      await load();
      bringIntoView(saved);
    },
    onStale: async (text) => {
      await load();
      const now = answer().profiles.find(({ name }) => name === profile.name);
      if (now) await openOptions(now, parts, text);
      else showNotice(text);
    },
  });
}

/**
 * Hides profiles that the scanner does not support, but never saved buttons and never all profiles.
 * @param {ProfileSummary[]} profiles
 */
function offeredOf(profiles) {
  const fit = profiles.filter(({ usable, saved = false }) => usable || saved);
  return fit.some(({ usable }) => usable) ? fit : profiles;
}

/**
 * @param {(request: ScanRequest) => void} run
 * @param {() => void} onChange
 */
function createRequests(run, onChange) {
  const hold = kindById('hold', HTMLInputElement);
  byId('brand').textContent = texts.title;
  byId('hold-text').textContent = texts.hold;
  hold.checked = waits();
  hold.addEventListener('change', () => {
    keepWaits(hold.checked);
    onChange();
  });
  const wishes = createWishes();
  return {
    wishes,
    /** @param {ProfileSummary} profile */
    scan: ({ name, kind }) => {
      if (kind === null) return;
      const { settings } = choiceOf(name);
      const body = {
        profile: name,
        ...(Object.keys(settings).length > 0 && { settings }),
        ...wishes.take(name),
        ...(waits() && { hold: true }),
      };
      run({ path: 'scan', body });
    },
  };
}

/** The wish for the next scan of each button. */
function createWishes() {
  /** @type {Map<string, Wish>} */
  const wishes = new Map();
  const wishOf = (/** @type {string} */ name) => wishes.get(name) ?? { title: '', tags: [] };
  return {
    of: wishOf,
    /** @type {(name: string, wish: Wish) => void} */
    set: (name, wish) => wishes.set(name, wish),
    /**
     * The wish as shown on the button.
     * @param {string} name
     */
    words: (name) => {
      const { title, tags } = wishOf(name);
      return [title && `“${title}”`, ...tags.map((tag) => tag.name)].filter(Boolean);
    },
    /**
     * Removes the wish, which is valid for one scan, and returns it as request fields.
     * @param {string} name
     */
    take: (name) => {
      const { title, tags } = wishOf(name);
      wishes.delete(name);
      return {
        ...(title !== '' && { title }),
        ...(tags.length > 0 && { tags: tags.map(({ id }) => id) }),
      };
    },
  };
}

/** @param {import('../types.d.ts').ProfileProblem[]} problems */
async function checkSetUp(problems) {
  const { status, body } = await get('self-test');
  const result = status === 200 ? body : undefined;
  /** @type {boolean} */
  const isWrong = result?.checks.some((/** @type {{ status: string }} */ check) =>
    ['fail', 'warn', 'unknown'].includes(check.status),
  );
  /* Avoids loading the module if there is nothing to show. */
  if (problems.length === 0 && !isWrong) return;
  const { showSetUp } = await import('../later.js');
  showSetUp(problems, result);
}
