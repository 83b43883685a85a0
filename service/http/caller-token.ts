import { lstat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { errorCode, isMissing, isShortage, messageOf } from '../../helpers/error-code.ts';
import type { Log } from '../../helpers/log.ts';
import { withTimeout } from '../../helpers/outside-files.ts';
import { poll } from '../../helpers/poll.ts';
import { CALLER_TOKEN_SECRET } from '../set-up/caller-token.ts';
import { SecretError, type SecretReader } from '../paperless/secrets.ts';

/** A new token takes effect after one or two polls. */
const LOOK_EVERY_MS = 1000;

/** `unreadable`: a token is set but cannot be read, so all callers are rejected. */
export type RequiredToken =
  | { readonly state: 'none' }
  | { readonly state: 'readable'; readonly token: string }
  | { readonly state: 'unreadable'; readonly reason: string };

export interface CallerToken {
  readonly required: () => RequiredToken;
  /** Reads the token now. */
  readonly look: () => Promise<void>;
  /** Reads the token now, and accepts that it is gone: the operator removed it. */
  readonly forget: () => Promise<void>;
  readonly close: () => void;
}

export interface CallerTokenOptions {
  readonly readSecret: SecretReader;
  /** Where the secret's file should be, to tell an empty file from a missing one. */
  readonly secretsDir: string;
  /** Where the service's own secrets are. */
  readonly ownSecretsDir?: string | undefined;
  readonly log: Log;
  readonly lookEveryMs?: number;
  /** How long the start of the service waits for a hanging disk. */
  readonly firstMs?: number;
}

/**
 * Once a token is set, callers need one until the process ends or `forget` is called: a missing or
 * unreadable file never opens the API. The last token stays valid until two polls in a row miss it,
 * since a file may be truncated before it is rewritten.
 */
export async function watchCallerToken(options: CallerTokenOptions): Promise<CallerToken> {
  const { readSecret, secretsDir, log, lookEveryMs = LOOK_EVERY_MS, firstMs } = options;
  const file = path.join(secretsDir, CALLER_TOKEN_SECRET);
  const own = options.ownSecretsDir && path.join(options.ownSecretsDir, CALLER_TOKEN_SECRET);
  let required: RequiredToken = { state: 'unreadable', reason: 'it has not been read yet' };
  let isConfigured = false;
  let wasMissed = false;
  let mayBeGone = false;

  const lookFor = withTimeout(exists);

  async function look(): Promise<void> {
    // A poll that began before the removal may have seen the file.
    if (mayBeGone) isConfigured = false;
    mayBeGone = false;
    // Looks for the file first: if it exists, a token is set, even if reading it fails.
    const seen = await firstOf(own === undefined ? [file] : [file, own], lookFor);
    const isThere = typeof seen === 'string';
    isConfigured ||= isThere;
    const token = await readSecret(CALLER_TOKEN_SECRET);
    isConfigured ||= token !== undefined;
    if (token !== undefined) accept({ state: 'readable', token });
    else if (isThere) accept({ state: 'unreadable', reason: `${seen} is empty` });
    else if (seen !== undefined) throw seen;
    else accept(isConfigured ? GONE : { state: 'none' });
  }

  function accept(next: RequiredToken): void {
    wasMissed = !wasMissed && next.state === 'unreadable' && required.state === 'readable';
    if (wasMissed) return;
    if (!isDeepStrictEqual(next, required)) logChange(log, next);
    required = next;
  }

  const { close, now } = await poll({
    look,
    everyMs: lookEveryMs,
    ...(firstMs !== undefined && { firstMs }),
    onError: (error) => {
      const cause = error instanceof SecretError ? error.cause : error;
      // Without free file descriptors, the secret may still be fine.
      if (isShortage(cause)) return;
      // If the disk hangs, the last token stays valid.
      if (errorCode(cause) === 'ETIMEDOUT' && required.state !== 'unreadable') return;
      accept({ state: 'unreadable', reason: reasonOf(error, file) });
    },
  });
  return {
    required: () => required,
    look: now,
    forget: async () => {
      mayBeGone = true;
      await now();
    },
    close,
  };
}

function reasonOf(error: unknown, file: string): string {
  const other = `${file} cannot be looked at (${errorCode(error) ?? messageOf(error)})`;
  return error instanceof SecretError ? error.message : other;
}

const GONE: RequiredToken = { state: 'unreadable', reason: 'its file or variable is gone' };

/** Returns the first file that exists, or the error of one that cannot be accessed. */
async function firstOf(
  files: readonly string[],
  lookFor: typeof exists,
): Promise<string | Error | undefined> {
  for (const one of files) {
    const seen = await lookFor(one).catch((error: unknown) => error);
    if (seen === true) return one;
    if (seen !== false) return seen instanceof Error ? seen : new Error(messageOf(seen));
  }
  return undefined;
}

/** Throws errors other than a missing file, since the file may exist. */
async function exists(file: string): Promise<boolean> {
  try {
    return Boolean(await lstat(file));
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

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
