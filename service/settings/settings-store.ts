import { EventEmitter } from 'node:events';
import { isDeepStrictEqual } from 'node:util';
import { errorCode, isMissing, isTransient, messageOf } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';
import { poll } from '../../helpers/poll.ts';
import { giveCommand } from '../storage/give-directory.ts';
import { whyUnusable, type OwnFiles } from './own-files.ts';
import { parseSettings, SETTINGS_FILE, textOfSettings, type Settings } from './settings.ts';

const LOOK_EVERY_MS = 1000;

/** Whether SETTINGS_DIR can be used, or in `what` why not. */
export type SettingsState =
  | { readonly kind: 'good' }
  /** There are no settings. If none can be saved, `why` is the error code. */
  | { readonly kind: 'none'; readonly why: string | undefined }
  | { readonly kind: 'read_only' | 'broken'; readonly what: string; readonly remedy: string };

export interface SettingsStore {
  /** The settings that were read last. They stay if the file cannot be read. */
  readonly current: () => Settings;
  readonly state: () => SettingsState;
  /**
   * Makes one change at a time. Rejects with a file system error, or with Failure
   * `insufficient_storage` if the file is damaged.
   */
  readonly change: (changed: Settings) => Promise<void>;
  readonly events: EventEmitter<{ changed: [] }>;
  readonly close: () => void;
}

export interface SettingsStoreOptions {
  readonly files: OwnFiles;
  readonly log: Log;
  readonly lookEveryMs?: number;
}

/** Notices changes of the file within a second. Never rejects, even without the directory. */
export async function createSettingsStore({
  files,
  log,
  lookEveryMs = LOOK_EVERY_MS,
}: SettingsStoreOptions): Promise<SettingsStore> {
  const events = new EventEmitter<{ changed: [] }>();
  let current: Settings = Object.freeze({});
  let state: SettingsState = { kind: 'none', why: undefined };
  let last: Promise<unknown> = Promise.resolve();

  function accept(settings: Settings): void {
    if (isDeepStrictEqual(settings, current)) return;
    current = settings;
    events.emit('changed');
  }

  function note(next: SettingsState): void {
    if (isDeepStrictEqual(next, state)) return;
    state = next;
    if ('what' in next) log.error({ event: 'settings_unusable' }, `${next.what} ${next.remedy}`);
  }

  /** One read or change at a time, so that a read does not undo a change. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    const next = last.then(work);
    last = next.catch(() => {});
    return next;
  }

  async function look(): Promise<void> {
    const settings = await readSettings(files);
    // A file that disappears is no decision of a person, so the last settings stay.
    if (settings) accept(settings);
    note(await writableState(files, settings !== undefined));
  }

  const { close } = await poll({
    look: () => inTurn(look),
    everyMs: lookEveryMs,
    onError: (error) => {
      if (!isTransient(error) || state.kind === 'none') note(brokenBy(error, files));
    },
  });

  async function change(changed: Settings): Promise<void> {
    const before = await readSettings(files).catch((error: unknown) => refuse(error, files));
    const settings = { ...before, ...changed };
    await files.write(SETTINGS_FILE, textOfSettings(parseSettings(textOfSettings(settings))));
    accept(Object.freeze(settings));
  }

  return {
    current: () => current,
    state: () => state,
    change: (changed) => inTurn(() => change(changed)),
    events,
    close,
  };
}

async function readSettings(files: OwnFiles): Promise<Settings | undefined> {
  try {
    return parseSettings(await files.read(SETTINGS_FILE));
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

async function writableState(files: OwnFiles, isThere: boolean): Promise<SettingsState> {
  const code = await files.check().then(
    () => undefined,
    (error: unknown) => errorCode(error) ?? messageOf(error),
  );
  if (!isThere) return { kind: 'none', why: code };
  if (code === undefined) return { kind: 'good' };
  const what = `The service cannot write its settings to ${files.root} (${code}).`;
  return { kind: 'read_only', what, remedy: `${giveCommand(files.root)}.` };
}

/** Throws a Failure for a mistake in the file, and other errors unchanged. */
function refuse(error: unknown, files: OwnFiles): never {
  if (errorCode(error) !== undefined) throw error;
  const { what, remedy } = brokenBy(error, files);
  throw new Failure('insufficient_storage', what, { remedy, cause: error });
}

function brokenBy(
  error: unknown,
  { root, pathOf }: OwnFiles,
): Extract<SettingsState, { readonly kind: 'read_only' | 'broken' }> {
  const code = errorCode(error);
  const isForbidden = code === 'EACCES' || code === 'EPERM';
  return {
    kind: 'broken',
    what: `${pathOf(SETTINGS_FILE)} ${whyUnusable(error)}.`,
    remedy: isForbidden ? `${giveCommand(root)}.` : 'Correct the file, or remove it.',
  };
}
