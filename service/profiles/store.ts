import { EventEmitter } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../helpers/log.ts';
import { loadProfiles, type LoadedProfiles, type ProfileProblem } from './load.ts';
import type { Profile } from './profile.ts';
import { profileSchema } from './schema.ts';

/**
 * How often the directory is looked at. A look is a few `stat` calls; it works on every file system, bind mounts and
 * Kubernetes config maps included, where change notifications do not.
 */
const LOOK_INTERVAL_MS = 1000;

export interface ProfileStore {
  get(name: string): Profile | undefined;
  /** All profiles, sorted by name. */
  list(): readonly Profile[];
  problems(): readonly ProfileProblem[];
  /** Emits `loaded` after every load. */
  readonly events: EventEmitter<{ loaded: [] }>;
  close(): void;
}

export interface ProfileStoreOptions {
  readonly directory: string;
  /** Scan directory root of profiles that name none. */
  readonly outputDir: string;
  /** Languages that the processor has; undefined while it cannot be asked, and then they are not checked. */
  readonly installedLanguages: () => readonly string[] | undefined;
  readonly log: Log;
  readonly lookIntervalMs?: number;
}

/**
 * Loads the profiles of a directory and keeps them up to date: a changed directory is picked up within a second or two,
 * without a restart. Callers keep the (frozen) profile that they got, so a scan in flight is not touched by a change.
 */
export async function createProfileStore(options: ProfileStoreOptions): Promise<ProfileStore> {
  const { directory, log } = options;
  const events = new EventEmitter<{ loaded: [] }>();
  const schema = profileSchema({ output_dir: options.outputDir });
  let signature: string | undefined;
  let current: LoadedProfiles = { profiles: new Map(), problems: [] };
  let looking: Promise<void> | undefined;

  async function look(): Promise<void> {
    const languages = options.installedLanguages();
    const seen = `${languages?.join() ?? '?'}\n${await directorySignature(directory)}`;
    if (seen === signature) return;
    current = withoutMissingLanguages(await loadProfiles(directory, schema), languages);
    signature = seen;
    for (const { file, problem } of current.problems) {
      log.error({ file, problem }, `profile file ${file} is left out: ${problem}`);
    }
    log.info({ directory, profiles: [...current.profiles.keys()] }, 'profiles loaded');
    events.emit('loaded');
  }

  await look();
  const timer = setInterval(() => {
    looking ??= look()
      .catch((error: unknown) => log.error({ err: error }, 'the profiles could not be loaded'))
      .finally(() => (looking = undefined));
  }, options.lookIntervalMs ?? LOOK_INTERVAL_MS);

  return {
    get: (name) => current.profiles.get(name),
    list: () => [...current.profiles.values()],
    problems: () => current.problems,
    events,
    close: () => clearInterval(timer),
  };
}

/** Names, sizes, inodes and times of the profile files: equal as long as nothing was changed. */
async function directorySignature(directory: string): Promise<string> {
  const names = await readdir(directory).catch((): string[] => []);
  const lines = names.toSorted().map(async (name) => {
    const file = await stat(path.join(directory, name)).catch(() => undefined);
    return `${name} ${file?.ino} ${file?.size} ${file?.mtimeMs} ${file?.ctimeMs}`;
  });
  return (await Promise.all(lines)).join('\n');
}

function withoutMissingLanguages(
  loaded: LoadedProfiles,
  installed: readonly string[] | undefined,
): LoadedProfiles {
  if (!installed) return loaded;
  const missing = (profile: Profile): string[] =>
    profile.processing.languages.filter((language) => !installed.includes(language));
  const problems = [...loaded.profiles.values()]
    .filter((profile) => missing(profile).length > 0)
    .map((profile) => ({
      file: profile.name,
      problem: `"processing.languages" names ${missing(profile).join(', ')}, but the processor has ${installed.join(', ')}`,
    }));
  const usable = [...loaded.profiles].filter(([, profile]) => missing(profile).length === 0);
  return { profiles: new Map(usable), problems: [...loaded.problems, ...problems] };
}
