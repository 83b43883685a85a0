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
import { describeTrigger, triggerConflicts } from './trigger.ts';

/** The profiles shipped with the product. They are for many kinds of scanners. */
export const SHIPPED = path.resolve(import.meta.dirname, '../../profiles');

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
): Promise<LoadedProfiles & { readonly shipped: ReadonlySet<string> }> {
  const existing = await existingOf(directories, files);
  const profiles = new Map<string, Profile>();
  const fileNames = new Map<string, string>();
  const problems: ProfileProblem[] = [];
  const shipped = new Set<string>();
  const missed = directories.filter((directory) => directory !== files.own);
  for (const directory of existing.length > 0 ? existing : missed) {
    const loaded = await loadProfiles(directory, schema, installed, files);
    const taken = new Set([...profiles.keys(), ...problems.map(({ profile }) => profile)]);
    for (const [name, profile] of loaded.profiles) {
      if (taken.has(name)) continue;
      profiles.set(name, profile);
      if (directory === SHIPPED || directory === files.own) shipped.add(name);
      fileNames.set(name, loaded.files.get(name) ?? name);
    }
    const isShipped = directory === SHIPPED && { isShipped: true };
    problems.push(
      ...loaded.problems
        .filter(({ profile }) => profile === undefined || !taken.has(profile))
        .map((problem) => ({ ...problem, ...isShipped })),
    );
    // If a directory hangs, it may override the shipped profiles, so these are not loaded.
    if (loaded.problems.some(({ file, isTransient }) => file === directory && isTransient)) break;
  }
  const sorted = new Map([...profiles].toSorted(([a], [b]) => (a < b ? -1 : 1)));
  return { ...withoutConflicts({ profiles: sorted, files: fileNames, problems }), shipped };
}

/** Of profiles with the same trigger on the same scanner, only the first by name keeps it. */
function withoutConflicts({ profiles, files, problems }: LoadedProfiles): LoadedProfiles {
  const conflicts = triggerConflicts([...profiles.values()]);
  const refused = conflicts.map(({ name, other }): ProfileProblem => {
    const trigger = profiles.get(name)?.trigger;
    const what = trigger ? describeTrigger(trigger) : 'a trigger';
    return {
      file: files.get(name) ?? name,
      field: 'trigger',
      message: `"trigger" is ${what}, which starts profile ${other} already.`,
      remedy: 'Give each button a function number, or name different scanners in "device"',
      profile: name,
    };
  });
  const names = new Set(conflicts.map(({ name }) => name));
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
