import { errorCode, isTransient } from '../../../helpers/error-code.ts';
import type { loadDirectories } from '../load-directories.ts';
import { unreadable, type ProfileProblem } from '../problems.ts';
import type { checkWritable } from '../../storage/check-writable.ts';
import type { readButtons, SavedButton } from './saved-files.ts';
import { profileOf, type SavedProfile } from './saved-profile.ts';

export const MAX_BUTTONS = 50;

export interface Button {
  readonly name: string;
  readonly revision: string;
  readonly saved: SavedProfile;
  /** Why the saved button cannot be used. Undefined if it can. */
  readonly reason: string | undefined;
}

export interface Saving {
  readonly possible: boolean;
  readonly reason: string | null;
  readonly left: number;
}

export const NOT_LOOKED: Saving = {
  possible: false,
  reason: 'The directory of saved profiles was not looked at yet.',
  left: 0,
};

type Directories = Awaited<ReturnType<typeof loadDirectories>>;

export interface WithButtons extends Directories {
  /** Names of all profiles except saved buttons, even of broken ones. */
  readonly own: ReadonlySet<string>;
  readonly buttons: readonly Button[];
}

/**
 * Adds saved buttons, except those with the name of another profile. A button whose base is gone
 * stays in the list, with the reason.
 */
export async function withButtons(
  loaded: Directories,
  directory: string,
  read: typeof readButtons,
): Promise<WithButtons> {
  const broken = loaded.problems.flatMap(({ profile }) => profile ?? []);
  const own = new Set([...loaded.profiles.keys(), ...broken]);
  const profiles = new Map(loaded.profiles);
  const buttons: Button[] = [];
  const problems: ProfileProblem[] = [...loaded.problems];
  for (const one of await buttonsIn(directory, problems, read)) {
    const { name, revision, saved, isTransient: isLater = false } = one;
    const file = `${name}.json`;
    if (typeof saved === 'string') {
      const problem = { file, field: null, message: saved, profile: name };
      problems.push(isLater ? { ...problem, isTransient: true } : problem);
    } else if (own.has(name)) {
      const message = `"name" is the name of a profile that is not saved: the button is not shown.`;
      problems.push({ file, field: 'name', message, profile: undefined });
    } else {
      const base = loaded.profiles.get(saved.based_on);
      const reason = base ? undefined : withoutBase(saved, own);
      buttons.push({ name, revision, saved, reason });
      if (base) profiles.set(name, Object.freeze(profileOf(name, saved, base)));
      else {
        const remedy = 'Bring that profile back, or remove the button on the control page';
        const problem = { file, field: 'based_on', message: reason ?? '', remedy };
        problems.push({ ...problem, profile: name });
      }
    }
  }
  const sorted = new Map([...profiles].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { ...loaded, profiles: sorted, problems, own, buttons };
}

async function buttonsIn(
  directory: string,
  problems: ProfileProblem[],
  read: typeof readButtons,
): Promise<SavedButton[]> {
  try {
    return await read(directory);
  } catch (error) {
    problems.push({ file: directory, ...unreadable(error), profile: undefined });
    return [];
  }
}

function withoutBase({ based_on }: SavedProfile, own: ReadonlySet<string>): string {
  const what = own.has(based_on) ? 'has a mistake in its file' : 'no longer exists';
  return `The button is based on the profile "${based_on.slice(0, 64)}", which ${what}.`;
}

/** Says whether another button can be saved. The directory already has `count`. */
export async function savingIn(
  directory: string,
  count: number,
  check: typeof checkWritable,
): Promise<Saving> {
  const left = leftOf(count);
  try {
    await check(directory);
    return { possible: true, reason: null, left };
  } catch (error) {
    // The next attempt may succeed, so people can still try to save.
    if (isTransient(error)) return { possible: true, reason: null, left };
    const code = errorCode(error) ?? 'unknown error';
    return { possible: false, reason: `The service cannot write to ${directory} (${code}).`, left };
  }
}

export function leftOf(count: number): number {
  return Math.max(0, MAX_BUTTONS - count);
}
