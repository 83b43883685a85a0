import { EventEmitter } from 'node:events';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { messageOf } from '../../helpers/error-code.ts';
import type { Log } from '../../helpers/log.ts';
import { withTimeout } from '../../helpers/outside-files.ts';
import { poll } from '../../helpers/poll.ts';
import { createProfileFiles, loadText, type OwnProfileFiles } from './load.ts';
import { loadDirectories, type ProfileOrigin } from './load-directories.ts';
import { leftOf, NOT_LOOKED, savingIn, withButtons } from './saved/load-buttons.ts';
import type { Button, Saving, WithButtons } from './saved/load-buttons.ts';
import type { FileProblem, ProfileProblem } from './problems.ts';
import type { Profile } from './profile.ts';
import { checkWritable } from '../storage/check-writable.ts';
import { readButtons } from './saved/saved-files.ts';
import { profileSchema, type ProfileDefaults } from './schema.ts';

/** Polling interval in milliseconds. Bind mounts and Kubernetes config maps report no changes. */
const LOOK_EVERY_MS = 1000;

export interface ProfileStore {
  get(name: string): Profile | undefined;
  /** Sorted by name. */
  list(): readonly Profile[];
  /** True for a profile shipped with the product, or written by the service itself. */
  isShipped(name: string): boolean;
  /** True for any profile that is not a saved button, even a broken one. */
  isOwn(name: string): boolean;
  /** By name, even for broken profiles. Saved buttons have none. */
  origins(): ReadonlyMap<string, ProfileOrigin>;
  /** Sorted by name. */
  buttons(): readonly Button[];
  saving(): Saving;
  reload(): Promise<void>;
  /** Checks the text of a profile file with the rules and defaults that count now. */
  check(file: string, text: string): Profile | FileProblem[];
  problems(): readonly ProfileProblem[];
  /** Emits `loaded` after every load. */
  readonly events: EventEmitter<{ loaded: [] }>;
  close(): void;
}

export interface ProfileStoreOptions {
  /** The operator's directory first. */
  readonly directories: readonly string[];
  readonly savedDir: string;
  /** Output directory of profiles that name none. */
  readonly outputDir: string;
  /** Address of destinations that name none. */
  readonly dmsUrl: () => string | undefined;
  /** Scanner and languages of profiles that name none. */
  readonly chosen?: (() => Pick<ProfileDefaults, 'device' | 'languages'>) | undefined;
  /** The directory that only the service writes. */
  readonly ownFiles?: OwnProfileFiles | undefined;
  /** Undefined if the languages are unknown. They are then not checked. */
  readonly installedLanguages: () => readonly string[] | undefined;
  readonly log: Log;
  readonly lookEveryMs?: number;
  /** A directory or file that takes longer is considered hung. */
  readonly timeoutMs?: number;
}

const NOTHING: Loaded = {
  profiles: new Map(),
  problems: [],
  shipped: new Set(),
  origins: new Map(),
  own: new Set(),
  buttons: [],
};

/**
 * Notices changes within two seconds. Reads in the background, so that callers never wait. Running
 * scans keep their frozen profile. During disk errors, the last profiles stay.
 */
export async function createProfileStore(options: ProfileStoreOptions): Promise<ProfileStore> {
  const { directories, log } = options;
  const events = new EventEmitter<{ loaded: [] }>();
  const files = createProfileFiles(options.timeoutMs, options.ownFiles);
  const signatureOf = withTimeout(directorySignature, options.timeoutMs);
  const checkSaved = withTimeout(checkWritable, options.timeoutMs);
  const readSaved = withTimeout(readButtons, options.timeoutMs);
  let signature: string | undefined;
  let current = NOTHING;
  let saving: Saving = NOT_LOOKED;

  async function look(): Promise<void> {
    const languages = options.installedLanguages();
    const defaults = defaultsOf(options, languages);
    const seen = [languages?.join() ?? '?', JSON.stringify(defaults)];
    for (const directory of [...directories, options.savedDir]) {
      seen.push(await signatureOf(directory).catch(messageOf));
    }
    saving = await savingIn(options.savedDir, current.buttons.length, checkSaved);
    const isChanged = seen.join('\n') !== signature;
    if (!isChanged && !current.problems.some(({ isTransient }) => isTransient)) return;
    const loaded = await withButtons(
      await loadDirectories(directories, profileSchema(defaults), languages, files),
      options.savedDir,
      readSaved,
    );
    const isNews = isChanged || !isDeepStrictEqual(current.problems, loaded.problems);
    const isFailing = loaded.problems.some(({ isTransient }) => isTransient);
    const kept = isFailing && current.profiles.size > 0 ? current : loaded;
    current = { ...kept, problems: loaded.problems };
    saving = { ...saving, left: leftOf(current.buttons.length) };
    signature = seen.join('\n');
    if (!isNews) return;
    logLoaded(current, directories, log);
    events.emit('loaded');
  }

  const { close, now } = await poll({
    look,
    everyMs: options.lookEveryMs ?? LOOK_EVERY_MS,
    onError: (err) =>
      log.error({ event: 'profiles_failed', err }, 'The profiles could not be loaded.'),
  });

  return {
    get: (name) => current.profiles.get(name),
    list: () => [...current.profiles.values()],
    isShipped: (name) => current.shipped.has(name),
    isOwn: (name) => current.own.has(name),
    origins: () => current.origins,
    buttons: () => current.buttons,
    saving: () => saving,
    reload: now,
    check: (file, text) => checkText(file, text, options),
    problems: () => current.problems,
    events,
    close,
  };
}

function checkText(
  file: string,
  text: string,
  options: ProfileStoreOptions,
): Profile | FileProblem[] {
  const installed = options.installedLanguages();
  const schema = profileSchema(defaultsOf(options, installed));
  return loadText(text, { file, schema, installed }).result;
}

/** Leaves out chosen languages that are not installed, which would make all profiles invalid. */
function defaultsOf(
  { outputDir, dmsUrl, chosen }: ProfileStoreOptions,
  installed: readonly string[] | undefined,
): ProfileDefaults {
  const { device, languages: wanted = [] } = chosen?.() ?? {};
  const languages = wanted.filter((language) => installed?.includes(language) ?? true);
  return {
    output_dir: outputDir,
    dms_url: dmsUrl(),
    device,
    languages: languages.length > 0 ? languages : undefined,
  };
}

type Loaded = Omit<WithButtons, 'files'>;

const MAX_LOGGED = 2000;

function logLoaded(
  { profiles, problems }: Pick<Loaded, 'profiles' | 'problems'>,
  directories: readonly string[],
  log: Log,
): void {
  const files = Map.groupBy(problems, ({ file }) => file);
  for (const [file, wrong] of files) {
    const fields = wrong.map(({ field }) => field);
    const messages = wrong.map(({ message }) => message).join(' ');
    const text = `profile file ${file} is not loaded: ${messages.slice(0, MAX_LOGGED)}`;
    log.error({ event: 'profile_refused', file, fields }, text);
  }
  const names = [...profiles.keys()];
  log.info({ event: 'profiles_loaded', directories, profiles: names }, 'profiles loaded');
}

/**
 * Returns a text that changes with the files. Looks at one file at a time, so that a hung disk
 * blocks only one thread.
 */
async function directorySignature(directory: string): Promise<string> {
  const names = await readdir(directory).catch((): string[] => []);
  const lines: string[] = [];
  for (const name of names.toSorted()) {
    const file = await stat(path.join(directory, name)).catch(() => undefined);
    lines.push(`${name} ${file?.ino} ${file?.size} ${file?.mtimeMs} ${file?.ctimeMs}`);
  }
  return lines.join('\n');
}
