import { get } from '../api.js';
import { byId } from '../element.js';
import { texts } from '../texts/texts.js';
import { createRecent } from './recent.js';
import { createOptions, labelOf, createProfiles } from './start.js';

/**
 * @typedef {import('../types.d.ts').ScanRequest} ScanRequest
 * @typedef {import('../types.d.ts').ProfileSummary} ProfileSummary
 */

/**
 * The list of scans, and what can be scanned.
 * @param {(request: ScanRequest) => void} run
 * @returns {{ clear: () => void, refresh: (signal: AbortSignal) => Promise<number> }} `refresh` shows what is so now, and resolves with
 *   the status of the answer: 0 where none came, and then what was shown stays; `clear` ends the search for scans
 */
export function createHome(run) {
  const options = createOptions();
  const showProfiles = createProfiles((profile) => {
    const fields = options.take();
    if (fields) run({ path: 'scan', body: { profile, ...fields } });
  });
  /** @type {ProfileSummary[]} */
  let profiles = [];
  let isLoaded = false;
  let isChecked = false;
  const recent = createRecent(
    (name) => profiles.filter((profile) => profile.name === name).map(labelOf)[0],
    () => profiles.flatMap((one) => one.public_urls).find((address) => address !== null),
  );

  function show() {
    /* What the scanner cannot do is not offered; where that is all of it, the press says why. */
    const fit = profiles.filter(({ usable }) => usable);
    const offered = fit.length > 0 ? fit : profiles;
    options.show(showProfiles(offered));
  }

  /** @param {import('../types.d.ts').ProfileProblem[]} problems */
  async function checkSetUp(problems) {
    const { status, body } = await get('self-test');
    const result = status === 200 ? body : undefined;
    /** @type {boolean} */
    const isWrong = result?.checks.some((/** @type {{ status: string }} */ check) =>
      ['fail', 'warn'].includes(check.status),
    );
    /* Most services have nothing to show here. */
    if (problems.length === 0 && !isWrong) return;
    const { showSetUp } = await import('./set-up.js');
    showSetUp(problems, result);
  }

  return {
    clear: recent.clear,
    refresh: async (signal) => {
      const { status, body } = await get('profiles');
      if (signal.aborted) return status;
      if (status !== 200) {
        if (!isLoaded && status !== 401) byId('start-title').textContent = texts.opening;
        return status;
      }
      profiles = body.profiles;
      show();
      isLoaded = true;
      if (!isChecked) {
        isChecked = true;
        /* What it needs did not come: it is tried again. */
        checkSetUp(body.problems).catch(() => (isChecked = false));
      }
      await recent.load();
      return status;
    },
  };
}
