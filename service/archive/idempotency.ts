import Joi from 'joi';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdir, readFile, readdir, rm } from 'node:fs/promises';
import { uptime } from 'node:os';
import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { storageFailure } from '../storage/storage-failure.ts';
import { syncDirectory, writeAtomically } from '../storage/write-atomically.ts';
import { SCAN_ID } from './scan-id.ts';

/** How long a key is remembered: a caller that tries again does so within a day. */
const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000;

const CLEANING_MS = 60 * 60 * 1000;

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
  /** The start of the machine that the next field counts from. */
  readonly boot_id: string;
  readonly uptime_seconds: number;
}

const ENTRY_SCHEMA = Joi.object<Entry, true>({
  scan_id: Joi.string().pattern(SCAN_ID).required(),
  request_sha256: Joi.string().hex().length(64).required(),
  created_at: Joi.number().integer().required(),
  boot_id: Joi.string().allow('').required(),
  uptime_seconds: Joi.number().required(),
})
  .unknown()
  .prefs({ convert: false });

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
      'What this Idempotency-Key was used for cannot be read; nothing was fed. See the service log.';
    throw storageFailure(error) ?? new Failure('internal_error', message, { cause: error });
  });
  if (entry === undefined || isExpired(entry)) return undefined;
  if (entry.request_sha256 === call.requestHash) return entry.scan_id;
  const message =
    'This Idempotency-Key came with another request before. Use a new key for each scan, and the same key only to try again.';
  throw new Failure('idempotency_key_reused', message, { facts: { scan_id: entry.scan_id } });
}

/** Remembers, durably, which scan a call began. */
export async function rememberScan(
  root: string,
  call: CallIdentity,
  scanId: string,
): Promise<void> {
  const directory = path.join(root, DIRECTORY);
  await mkdir(directory, { recursive: true });
  await syncDirectory(root);
  const entry: Entry = {
    scan_id: scanId,
    request_sha256: call.requestHash,
    created_at: Date.now(),
    boot_id: bootId(),
    uptime_seconds: uptime(),
  };
  await writeAtomically(entryFile(root, call), `${JSON.stringify(entry)}\n`);
}

/** Forgets a call that moved no paper, so that trying again scans. */
export async function forgetScan(root: string, call: CallIdentity): Promise<void> {
  await rm(entryFile(root, call), { force: true });
}

/** Removes the entries below the output directories that are too old, now and every hour; returns what ends it. */
export function cleanKeysHourly(roots: () => readonly string[]): () => void {
  const clean = (): void => void Promise.all([...new Set(roots())].map(removeExpiredKeys));
  clean();
  const timer = setInterval(clean, CLEANING_MS);
  return () => clearInterval(timer);
}

/**
 * Removes the entries below an output directory that are too old; not part of any call, as there may be thousands. Never
 * rejects. Looks at entries only: a call may be writing its own, and file servers keep folders everywhere.
 */
export async function removeExpiredKeys(root: string): Promise<void> {
  const directory = path.join(root, DIRECTORY);
  const found = await readdir(directory).catch(() => []);
  const names = found.filter((name) => ENTRY_FILE.test(name));
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

/**
 * Within one run of the machine its uptime counts, which no clock that is set can change; a Raspberry Pi has no clock of its
 * own and sets it some time after the start. A clock that stands before the entry was made says nothing: the key is kept.
 */
function isExpired({ created_at, boot_id, uptime_seconds }: Entry): boolean {
  const sameRun = boot_id !== '' && boot_id === bootId();
  const ageMs = sameRun ? (uptime() - uptime_seconds) * 1000 : Date.now() - created_at;
  return ageMs > KEY_LIFETIME_MS;
}

/** Changes with each start of the machine; empty where the kernel does not tell. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
  } catch {
    return '';
  }
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
