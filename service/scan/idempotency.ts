import Joi from 'joi';
import { createHash } from 'node:crypto';
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { storageFailure } from '../storage/storage-failure.ts';
import { syncDirectory, writeAtomically } from '../storage/write-atomically.ts';
import { SCAN_ID } from './scan-id.ts';

/** How long a key is remembered: a caller that tries again does so within a day. */
const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;

/** Beside the scan directories, whose names never begin with a dot. */
const DIRECTORY = '.idempotency';

/** Names that entries have. */
const ENTRY_FILE = /^[0-9a-f]{64}\.json$/;

/** What makes two calls the same call. */
export interface CallIdentity {
  /** The caller's Idempotency-Key. */
  readonly key: string;
  /** Hash of what was asked for. */
  readonly requestHash: string;
}

interface Entry {
  readonly scan_id: string;
  readonly request_sha256: string;
  /** Milliseconds since 1970. */
  readonly created_at: number;
}

const ENTRY_SCHEMA = Joi.object<Entry, true>({
  scan_id: Joi.string().pattern(SCAN_ID).required(),
  request_sha256: Joi.string().hex().length(64).required(),
  created_at: Joi.number().integer().required(),
}).prefs({ convert: false });

/** Hash of a checked request; the order of fields does not matter, on any level. */
export function hashRequest(request: object): string {
  const text = JSON.stringify(request, (_, value: unknown) => sortFields(value));
  return createHash('sha256').update(text).digest('hex');
}

function sortFields(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

/**
 * The scan that an earlier call with this key began, below the scan directory root; undefined when there was none within
 * KEY_LIFETIME_MS. Throws Failure `idempotency_key_reused` when that call asked for something else, and
 * `insufficient_storage` or `internal_error` when it cannot be known: feeding the paper again would be the wrong guess.
 */
export async function recallScan(root: string, call: CallIdentity): Promise<string | undefined> {
  const entry = await readEntry(entryFile(root, call)).catch((error: unknown) => {
    const message =
      'what this Idempotency-Key was used for cannot be read: nothing was fed; see the log of the service';
    throw storageFailure(error) ?? new Failure('internal_error', message, { cause: error });
  });
  if (entry === undefined || isExpired(entry)) return undefined;
  if (entry.request_sha256 === call.requestHash) return entry.scan_id;
  const message =
    'this Idempotency-Key came with another request before: use a new key for each scan, and the same one only to try again';
  throw new Failure('idempotency_key_reused', message, { facts: { scan_id: entry.scan_id } });
}

/** Remembers, durably, which scan a call began; forgets what is too old on the way. */
export async function rememberScan(
  root: string,
  call: CallIdentity,
  scanId: string,
): Promise<void> {
  const directory = path.join(root, DIRECTORY);
  await mkdir(directory, { recursive: true });
  await syncDirectory(root);
  await removeExpired(directory);
  const entry: Entry = {
    scan_id: scanId,
    request_sha256: call.requestHash,
    created_at: Date.now(),
  };
  await writeAtomically(entryFile(root, call), `${JSON.stringify(entry)}\n`);
}

/** Forgets a call that moved no paper, so that trying again scans. */
export async function forgetScan(root: string, call: CallIdentity): Promise<void> {
  await rm(entryFile(root, call), { force: true });
}

/** Looks at entries only: a call beside this one may be writing its own, and file servers keep folders everywhere. */
async function removeExpired(directory: string): Promise<void> {
  const names = (await readdir(directory)).filter((name) => ENTRY_FILE.test(name));
  for (const name of names) {
    const file = path.join(directory, name);
    try {
      const entry = await readEntry(file);
      if (entry === undefined || isExpired(entry)) await rm(file, { force: true });
    } catch {
      // One that cannot be read now is still there for the call that it belongs to.
    }
  }
}

/** A clock that was set back must not make keys last for ever, one set forward must not keep all of them. */
function isExpired({ created_at }: Entry): boolean {
  return Math.abs(Date.now() - created_at) > KEY_LIFETIME_MS;
}

/** Undefined where there is none, or a damaged one; rejects when that cannot be told. */
async function readEntry(file: string): Promise<Entry | undefined> {
  try {
    const { value, error } = ENTRY_SCHEMA.validate(JSON.parse(await readFile(file, 'utf8')));
    return error ? undefined : value;
  } catch (error) {
    if (error instanceof SyntaxError || errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/** The key is the caller's: it never becomes a path. */
function entryFile(root: string, { key }: CallIdentity): string {
  return path.join(root, DIRECTORY, `${createHash('sha256').update(key).digest('hex')}.json`);
}
