import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { isNotThere, isShortage } from '../../helpers/error-code.ts';
import type { Log } from '../../helpers/log.ts';
import { lookInBackground } from '../background-look.ts';
import { SecretError, type SecretReader } from '../paperless/secrets.ts';

/** Name of the secret that callers must present, where an operator has set one; also as SCAN_API_TOKEN. */
const CALLER_TOKEN_SECRET = 'scan_api_token';

/** How often the secret is looked at: a new token counts within a second or two. */
const LOOK_INTERVAL_MS = 1000;

/** What callers must present: nothing, a token, or one that cannot be read now, so that no caller is let in. */
export type RequiredToken =
  | { readonly state: 'none' }
  | { readonly state: 'readable'; readonly token: string }
  | { readonly state: 'unreadable'; readonly reason: string };

/** As one look sees it; `isUnknown`: nor can it be seen whether there is one. */
type Seen = RequiredToken & { readonly isUnknown?: boolean };

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
  readonly lookIntervalMs?: number;
  /** How long the start waits for a disk that hangs. */
  readonly firstLookMs?: number;
}

/**
 * Watches the token that callers must present. A token that was configured once is required until the process ends: a file
 * that vanishes, is empty or cannot be read never opens the API. While the directory cannot be read, no caller is let in either. At the first such look the last token still counts,
 * because a token is replaced by truncating its file and writing it again.
 */
export async function watchCallerToken(options: CallerTokenOptions): Promise<CallerToken> {
  const { log } = options;
  let required: RequiredToken = { state: 'unreadable', reason: 'it has not been read yet' };
  let isConfigured = false;
  let wasMissed = false;

  function accept({ isUnknown = false, ...seen }: Seen): void {
    const next = seen.state === 'none' && isConfigured ? GONE : seen;
    isConfigured ||= seen.state !== 'none' && !isUnknown;
    wasMissed = !wasMissed && next.state === 'unreadable' && required.state === 'readable';
    if (wasMissed) return;
    if (!isDeepStrictEqual(next, required)) logChange(log, next);
    required = next;
  }

  const close = await lookInBackground({
    look: async () => {
      const seen = await readToken(options);
      if (seen) accept(seen);
    },
    intervalMs: options.lookIntervalMs ?? LOOK_INTERVAL_MS,
    ...(options.firstLookMs !== undefined && { firstLookMs: options.firstLookMs }),
    onError: (error) => {
      log.error({ event: 'caller_token_failed', err: error }, 'the caller token could not be read');
      if (isShortage(error)) return;
      // Whether there is a secret could not be seen: that it is gone would be said for ever after.
      accept({
        state: 'unreadable',
        reason: 'reading it failed: see the service log',
        isUnknown: true,
      });
    },
  });
  return { required: () => required, close };
}

const GONE: RequiredToken = { state: 'unreadable', reason: 'its file or variable is gone' };

/** Undefined where the service itself is short of descriptors: that says nothing about the secret. */
async function readToken({
  readSecret,
  secretsDir,
}: CallerTokenOptions): Promise<Seen | undefined> {
  const file = path.join(secretsDir, CALLER_TOKEN_SECRET);
  try {
    const token = await readSecret(CALLER_TOKEN_SECRET);
    if (token !== undefined) return { state: 'readable', token };
    return (await exists(file))
      ? { state: 'unreadable', reason: `${file} is empty` }
      : { state: 'none' };
  } catch (error) {
    if (!(error instanceof SecretError)) throw error;
    if (isShortage(error.cause)) return undefined;
    const seen = { state: 'unreadable', reason: error.message } as const;
    // A directory that cannot be entered, or could not be a moment ago, says nothing about its files.
    const isThere = await exists(file).catch(() => false);
    return isThere ? seen : { ...seen, isUnknown: true };
  }
}

/** Whether there is such a file. Throws where that cannot be found out, which must not count as none. */
async function exists(file: string): Promise<boolean> {
  try {
    return Boolean(await lstat(file));
  } catch (error) {
    if (isNotThere(error)) return false;
    throw error;
  }
}

function logChange(log: Log, next: RequiredToken): void {
  const { state } = next;
  if (state === 'unreadable') {
    const fields = { event: 'caller_token_unreadable', reason: next.reason };
    log.error(fields, 'the caller token cannot be read: every guarded call is refused');
  } else if (state === 'readable') {
    log.info({ event: 'caller_token_loaded' }, 'callers must present the token');
  } else
    log.info(
      { event: 'caller_token_none' },
      'no caller token is configured: every caller is let in',
    );
}
