import pLimit from 'p-limit';
import { Failure } from '../../../helpers/failure.ts';
import type { FormProfile } from '../../profiles/form-schema.ts';
import type { ProfileOrigin } from '../../profiles/load-directories.ts';
import { MAX_BUTTONS } from '../../profiles/saved/load-buttons.ts';
import { revisionOf } from '../../profiles/saved/saved-files.ts';
import {
  checkRevision,
  exists,
  tooMany,
  type Expected,
} from '../../profiles/saved/saved-profiles.ts';
import { DEFAULT_PROFILE } from '../../profiles/schema.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { OwnFiles } from '../../settings/own-files.ts';
import { fixedOnMachine, storing } from '../steps/refusals.ts';
import { checkProfile } from './check-profile.ts';
import {
  createListedForms,
  fileOf,
  isNeeded,
  type ListedForm,
  type ListedFormsOptions,
} from './listed-forms.ts';
import { contentOf, fileText } from './profile-file.ts';

export interface ProfileForms {
  readonly list: () => Promise<{ readonly profiles: readonly ListedForm[]; readonly left: number }>;
  /** Throws Failure `profile_not_found`. */
  readonly get: (name: string) => Promise<ListedForm>;
  /**
   * Stores a profile, effective immediately. Without `expected`, the name must be new. Throws
   * Failure `set_up_closed`, `profile_exists`, `profile_changed`, `too_many_profiles`,
   * `invalid_body` or `insufficient_storage`.
   */
  readonly put: (
    name: string,
    given: FormProfile,
    expected: Expected,
  ) => Promise<{ readonly isNew: boolean; readonly entry: ListedForm }>;
  /** Throws like `put`, and Failure `profile_not_found` or `profile_read_only`. */
  readonly remove: (name: string, expected: Expected) => Promise<void>;
}

export interface ProfileFormsOptions extends ListedFormsOptions {
  readonly files: OwnFiles;
  readonly profiles: Pick<
    ProfileStore,
    'origins' | 'get' | 'list' | 'buttons' | 'problems' | 'check' | 'reload'
  >;
}

/** Makes one change at a time. */
export function createProfileForms(options: ProfileFormsOptions): ProfileForms {
  const { files, settings, profiles } = options;
  const listed = createListedForms(options);
  const queue = pLimit(1);

  const left = (): number => {
    const stored = [...profiles.origins().values()].filter(({ by }) => by === 'service');
    return Math.max(0, MAX_BUTTONS - stored.length);
  };

  /** Loads the profiles even after an error, because the change may be on disk. */
  async function changing(change: () => Promise<void>): Promise<void> {
    try {
      await storing(files, change);
    } finally {
      await profiles.reload();
    }
  }

  async function put(
    name: string,
    given: FormProfile,
    expected: Expected,
  ): Promise<{ isNew: boolean; entry: ListedForm }> {
    const origin = await changeable(name, profiles);
    const earlier = await storing(files, () => listed.textOf(name));
    const text = fileText(name, given, earlier === undefined ? undefined : contentOf(earlier));
    const isNew = origin?.by !== 'service';
    // The client may have lost the response, and now repeats its request, with the old revision.
    if (!isNew && earlier === text) return { isNew: false, entry: await listed.get(name) };
    checkFree(name, earlier, expected, profiles);
    if (isNew && left() === 0) throw tooMany();
    const file = isNew ? freeFile(name, profiles) : fileOf(name, origin);
    checkProfile({ name, file, text }, profiles);
    await changing(() => files.write(file, text));
    return { isNew, entry: await listed.get(name) };
  }

  async function remove(name: string, expected: Expected): Promise<void> {
    const origin = await changeable(name, profiles);
    if (!origin) await listed.get(name);
    if (origin?.by !== 'service') throw notRemovable(name, 'It comes with the service');
    if (isNeeded(name, settings)) throw notRemovable(name, 'The scanner needs it');
    const earlier = await storing(files, () => listed.textOf(name));
    if (expected !== undefined) checkRevision(name, revisioned(earlier), expected);
    await changing(() => files.remove(fileOf(name, origin)));
  }

  return {
    list: async () => ({ profiles: await listed.all(), left: left() }),
    get: listed.get,
    put: (...given) => queue(() => put(...given)),
    remove: (...given) => queue(() => remove(...given)),
  };
}

/** A file whose name is that of another profile inside it, as a person may have edited it, stays. */
function freeFile(name: string, { origins }: Pick<ProfileStore, 'origins'>): string {
  const others = [...origins()].filter(([other, { by }]) => by === 'service' && other !== name);
  const taken = new Set(others.map(([other, origin]) => fileOf(other, origin)));
  let at = 1;
  let file = fileOf(name, undefined);
  while (taken.has(file)) file = fileOf(`${name}-${(at += 1)}`, undefined);
  return file;
}

function revisioned(text: string | undefined): { readonly revision: string } | undefined {
  return text === undefined ? undefined : { revision: revisionOf(text) };
}

/** Looks at the files as they are now. Throws Failure `set_up_closed` for one of the operator. */
async function changeable(
  name: string,
  profiles: Pick<ProfileStore, 'origins' | 'reload'>,
): Promise<ProfileOrigin | undefined> {
  await profiles.reload();
  const origin = profiles.origins().get(name);
  if (origin?.by !== 'operator') return origin;
  throw fixedOnMachine(`The profile "${name}"`, origin.file);
}

/** Throws Failure `profile_exists` or `profile_changed`. */
function checkFree(
  name: string,
  earlier: string | undefined,
  expected: Expected,
  profiles: Pick<ProfileStore, 'buttons'>,
): void {
  const isButton = profiles.buttons().some((button) => button.name === name);
  if (isButton) throw exists(name, { revision: undefined });
  const known = revisioned(earlier);
  if (expected !== undefined) checkRevision(name, known, expected);
  else if (known) throw exists(name, known);
}

function notRemovable(name: string, why: string): Failure {
  // The default profile cannot be hidden.
  const remedy =
    name === DEFAULT_PROFILE ? 'Change it.' : 'Hide it with PUT /set-up/buttons, or change it.';
  return new Failure('profile_read_only', `"${name}" cannot be removed. ${why}.`, { remedy });
}
