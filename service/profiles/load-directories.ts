import type Joi from 'joi';
import path from 'node:path';
import { isMissing } from '../../helpers/error-code.ts';
import {
  createProfileFiles,
  loadProfiles,
  type LoadedProfiles,
  type ProfileFiles,
} from './load.ts';
import type { ProfileProblem } from './problems.ts';
import type { Profile } from './profile.ts';
import { conflictText, triggerConflicts } from './trigger.ts';

/** The profiles shipped with the product. They are for many kinds of scanners. */
export const SHIPPED = path.resolve(import.meta.dirname, '../../profiles');

/** Who wrote a profile: the operator, the service in SETTINGS_DIR, or the product's authors. */
export interface ProfileOrigin {
  readonly by: 'operator' | 'service' | 'product';
  /** The name of its file. */
  readonly file: string;
}

export interface LoadedDirectories extends LoadedProfiles {
  readonly shipped: ReadonlySet<string>;
  /** By profile name, even for broken files. */
  readonly origins: ReadonlyMap<string, ProfileOrigin>;
}

/**
 * Loads the operator's profiles before the shipped ones. A broken profile hides a shipped one of
 * the same name, which must not come back by mistake. Skips missing directories, unless all are.
 * `shipped` includes the profiles that the service wrote itself.
 */
export async function loadDirectories(
  directories: readonly string[],
  schema: Joi.ObjectSchema<Profile>,
  installed?: readonly string[],
  files = createProfileFiles(),
): Promise<LoadedDirectories> {
  const existing = await existingOf(directories, files);
  const profiles = new Map<string, Profile>();
  const fileNames = new Map<string, string>();
  const problems: ProfileProblem[] = [];
  const shipped = new Set<string>();
  const origins = new Map<string, ProfileOrigin>();
  const missed = directories.filter((directory) => directory !== files.own);
  for (const directory of existing.length > 0 ? existing : missed) {
    const loaded = await loadProfiles(directory, schema, installed, files);
    const taken = new Set([...profiles.keys(), ...problems.map(({ profile }) => profile)]);
    const by = authorOf(directory, files);
    for (const [name, file] of filesOf(loaded)) {
      if (!origins.has(name)) origins.set(name, { by, file });
    }
    for (const [name, profile] of loaded.profiles) {
      if (taken.has(name)) continue;
      profiles.set(name, profile);
      if (by !== 'operator') shipped.add(name);
      fileNames.set(name, loaded.files.get(name) ?? name);
    }
    const isShipped = by === 'product' && { isShipped: true };
    problems.push(
      ...loaded.problems
        .filter(({ profile }) => profile === undefined || !taken.has(profile))
        .map((problem) => ({ ...problem, ...isShipped })),
    );
    // If a directory hangs, it may override the shipped profiles, so these are not loaded.
    if (loaded.problems.some(({ file, isTransient }) => file === directory && isTransient)) break;
  }
  const sorted = new Map([...profiles].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  const found = { profiles: sorted, files: fileNames, problems };
  return { ...withoutConflicts(found, shipped), shipped, origins };
}

function authorOf(directory: string, { own }: ProfileFiles): ProfileOrigin['by'] {
  if (directory === SHIPPED) return 'product';
  return directory === own ? 'service' : 'operator';
}

/** The files of all profiles, even of broken ones. */
function filesOf({ files, problems }: LoadedProfiles): [name: string, file: string][] {
  const broken = problems.flatMap(({ profile, file }): [string, string][] =>
    profile === undefined ? [] : [[profile, file]],
  );
  return [...files, ...broken];
}

/**
 * Of profiles with the same trigger on the same scanner, only one keeps it: one of the operator if
 * possible, then the first by name.
 */
function withoutConflicts(
  { profiles, files, problems }: LoadedProfiles,
  shipped: ReadonlySet<string>,
): LoadedProfiles {
  const all = [...profiles.values()];
  const isShipped = ({ name }: Profile): boolean => shipped.has(name);
  const inOrder = [...all.filter((one) => !isShipped(one)), ...all.filter(isShipped)];
  const refused = triggerConflicts(inOrder).map(({ name, other }): ProfileProblem => {
    return {
      file: files.get(name) ?? name,
      field: 'trigger',
      message: conflictText(profiles.get(name)?.trigger, other),
      remedy: 'Give each button a function number, or name different scanners in "device"',
      profile: name,
    };
  });
  const names = new Set(refused.map(({ profile }) => profile));
  const kept = new Map([...profiles].filter(([name]) => !names.has(name)));
  return { profiles: kept, files, problems: [...problems, ...refused] };
}

async function existingOf(
  directories: readonly string[],
  { list }: ProfileFiles,
): Promise<string[]> {
  const isGone = await Promise.all(
    directories.map((directory) => list(directory).then(() => false, isMissing)),
  );
  return directories.filter((_, index) => isGone[index] === false);
}
