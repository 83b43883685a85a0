import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { errorCode, isNotThere, isShortage, messageOf } from '../../helpers/error-code.ts';
import type { Log } from '../../helpers/log.ts';
import { patiently } from '../../helpers/outside-files.ts';
import { poll } from '../../helpers/poll.ts';
import { SecretError, type SecretReader } from '../paperless/secrets.ts';

/** Name of the secret that callers must present, where an operator has set one; also as SCAN_API_TOKEN. */
const CALLER_TOKEN_SECRET = 'scan_api_token';

/** How often the secret is looked at: a new token counts within a second or two. */
const LOOK_EVERY_MS = 1000;

/** What callers must present: nothing, a token, or one that cannot be read now, so that no caller is let in. */
export type RequiredToken =
  | { readonly state: 'none' }
  | { readonly state: 'readable'; readonly token: string }
  | { readonly state: 'unreadable'; readonly reason: string };

export interface CallerToken {
  /** As of the last look; reads no disk. */
  readonly required: () => RequiredToken;
  readonly close: () => void;
}

export interface CallerTokenOptions {
  readonly readSecret: SecretReader;
  /** Where the secret file is, to tell a file that is empty from none. */
  readonly secretsDir: string;
  readonly log: Log;
  readonly lookEveryMs?: number;
  /** How long the start waits for a disk that hangs. */
  readonly firstMs?: number;
}

/**
 * Watches the token that callers must present. A token that was configured once is required until the process ends: a file
 * that vanishes, is empty or cannot be read never opens the API, and neither does a directory that cannot be read. Only a second
 * look in a row counts for that, because a token is replaced by truncating its file and writing it again.
 */
export async function watchCallerToken(options: CallerTokenOptions): Promise<CallerToken> {
  const { readSecret, secretsDir, log, lookEveryMs = LOOK_EVERY_MS, firstMs } = options;
  const file = path.join(secretsDir, CALLER_TOKEN_SECRET);
  let required: RequiredToken = { state: 'unreadable', reason: 'it has not been read yet' };
  let isConfigured = false;
  let wasMissed = false;

  const lookFor = patiently(exists);

  async function look(): Promise<void> {
    // First, so that a file that is there and cannot be read is known to be there. Reading it says best why it cannot be.
    const seen = await lookFor(file).catch((error: unknown) => error);
    const isThere = seen === true;
    isConfigured ||= isThere;
    const token = await readSecret(CALLER_TOKEN_SECRET);
    isConfigured ||= token !== undefined;
    if (token !== undefined) accept({ state: 'readable', token });
    else if (typeof seen !== 'boolean') throw seen;
    else if (isThere) accept({ state: 'unreadable', reason: `${file} is empty` });
    else accept(isConfigured ? GONE : { state: 'none' });
  }

  function accept(next: RequiredToken): void {
    wasMissed = !wasMissed && next.state === 'unreadable' && required.state === 'readable';
    if (wasMissed) return;
    if (!isDeepStrictEqual(next, required)) logChange(log, next);
    required = next;
  }

  const { close } = await poll({
    look,
    everyMs: lookEveryMs,
    ...(firstMs !== undefined && { firstMs }),
    onError: (error) => {
      const cause = error instanceof SecretError ? error.cause : error;
      // That the service itself is short of descriptors says nothing about the secret.
      if (isShortage(cause)) return;
      // Neither does a disk that hangs: the token that was read before still counts.
      if (errorCode(cause) === 'ETIMEDOUT' && required.state !== 'unreadable') return;
      const other = `${file} cannot be looked at (${errorCode(error) ?? messageOf(error)})`;
      const reason = error instanceof SecretError ? error.message : other;
      accept({ state: 'unreadable', reason });
    },
  });
  return { required: () => required, close };
}

const GONE: RequiredToken = { state: 'unreadable', reason: 'its file or variable is gone' };

/** Whether there is such a file. Throws where that cannot be found out, which must not count as none. */
async function exists(file: string): Promise<boolean> {
  try {
    return Boolean(await lstat(file));
  } catch (error) {
    if (isNotThere(error)) return false;
    throw error;
  }
}

/** A line for each change. */
function logChange(log: Log, next: RequiredToken): void {
  if (next.state === 'unreadable') {
    const fields = { event: 'caller_token_unreadable', reason: next.reason };
    log.error(fields, 'The caller token cannot be read: every guarded request is refused.');
  } else if (next.state === 'readable') {
    log.info({ event: 'caller_token_loaded' }, 'Callers must present the token.');
  } else {
    log.info({ event: 'caller_token_none' }, 'No caller token is set: every caller is let in.');
  }
}
