import { randomBytes } from 'node:crypto';
import { access, constants, open, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import type { Profile } from '../profiles/profile.ts';
import { MIN_FREE_BYTES } from '../storage/free-space.ts';
import { fail, ok, skipped, warn, type Check } from './check.ts';

/** A 1 MB file that is written and synced; a page has some 9 MB. */
const PROBE_BYTES = 1_000_000;
const PROBES = 3;

/** An SD card that is worn, or a share over a bad network, takes longer for 1 MB. In milliseconds. */
const SLOW_SYNC_MS = 1000;

/** A4 in gray at 300 dpi, uncompressed. */
const PAGE_BYTES = 8_700_000;

export interface StorageOptions {
  readonly profiles: readonly Profile[];
  /** Throws Failure `output_dir_in_use` while another service writes to the directory. */
  readonly checkOwner: (directory: string) => Promise<void>;
  /** How long a file takes until it is safe on disk. */
  readonly syncSpeed: SyncSpeed;
}

/** Median time that 1 MB takes until it is safe in a directory, in milliseconds. Rejects where it cannot be written. */
export type SyncSpeed = (directory: string) => Promise<number>;

/** The speed of a disk stays what it is, and every page that is opened runs the self-test: an SD card has so many writes. */
const REUSE_MS = 10 * 60_000;

/** Measures the speed of a directory at most every `reuseMs`; one that cannot be written is tried each time. */
export function createSyncSpeed(reuseMs = REUSE_MS): SyncSpeed {
  const known = new Map<string, { readonly at: number; readonly ms: number }>();
  return async (directory) => {
    const last = known.get(directory);
    if (last && performance.now() - last.at < reuseMs) return last.ms;
    const ms = await measureSync(directory);
    known.set(directory, { at: performance.now(), ms });
    return ms;
  };
}

async function measureSync(directory: string): Promise<number> {
  const times: number[] = [];
  for (let probe = 0; probe < PROBES; probe += 1) times.push(await timedSync(directory));
  return Math.round(times.toSorted((a, b) => a - b)[1] ?? 0);
}

/** Whether pages can be stored below a directory, quickly and enough of them. Leaves nothing behind. */
export async function checkStorage(
  directory: string,
  { profiles, checkOwner, syncSpeed }: StorageOptions,
): Promise<Check[]> {
  const subject = directory;
  if ((await codeOf(directory)) === 'ENOENT') return [await checkParent(directory)];
  const writable = await checkWritable(directory);
  const names = ['storage.owner', 'storage.free', 'storage.sync'];
  if (writable.status === 'fail') {
    return [
      writable,
      ...names.map((id) => skipped({ id, subject }, 'the directory cannot be used')),
    ];
  }
  const pages = Math.max(
    ...profiles.filter(({ paths }) => paths.output_dir === directory).map((one) => one.max_pages),
  );
  return [
    writable,
    await checkOwned(directory, checkOwner),
    await checkFree(directory, pages),
    await checkSync(directory, syncSpeed),
  ];
}

async function codeOf(directory: string): Promise<string | undefined> {
  return stat(directory).then(() => undefined, errorCode);
}

/** The first scan makes the directory, where it can. */
async function checkParent(directory: string): Promise<Check> {
  const about = { id: 'storage.writable', subject: directory };
  let parent = path.dirname(directory);
  while ((await codeOf(parent)) === 'ENOENT') parent = path.dirname(parent);
  const code = await access(parent, constants.W_OK | constants.X_OK).then(
    () => undefined,
    errorCode,
  );
  if (code === undefined) return ok(about, 'It does not exist yet: the first scan makes it.');
  return fail(
    about,
    `${directory} does not exist, and the service, uid ${process.getuid?.()}, cannot make it in ${parent} (${code}). Create or mount it, and give it to that user.`,
    { found: code },
  );
}

async function checkWritable(directory: string): Promise<Check> {
  const about = { id: 'storage.writable', subject: directory };
  try {
    await access(directory, constants.W_OK | constants.X_OK);
    if ((await stat(directory)).isDirectory()) return ok(about, 'The service can write to it.');
    return fail(about, `${directory} is not a directory. Move it away.`);
  } catch (error) {
    return fail(about, await explain(directory, errorCode(error)), { found: errorCode(error) });
  }
}

async function explain(directory: string, code: string | undefined): Promise<string> {
  if (code === 'EROFS') return `${directory} is on a read-only file system. Mount it writable.`;
  const owner = await stat(directory).then(
    ({ uid }) => `; it belongs to uid ${uid}`,
    () => '',
  );
  const uid = process.getuid?.();
  return `The service, uid ${uid}, cannot write to ${directory} (${code})${owner}. Run: sudo chown ${uid}:${process.getgid?.()} ${directory} (in containers, that is the directory SCANS in .env)`;
}

async function checkOwned(
  directory: string,
  checkOwner: StorageOptions['checkOwner'],
): Promise<Check> {
  const about = { id: 'storage.owner', subject: directory };
  try {
    await checkOwner(directory);
    return ok(about, 'No other service writes to it.');
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return fail(about, error.message);
  }
}

async function checkFree(directory: string, maxPages: number): Promise<Check> {
  const about = { id: 'storage.free', subject: directory };
  const { bavail, bsize, files, ffree } = await statfs(directory);
  const pages = Math.floor(Math.max(0, bavail * bsize - MIN_FREE_BYTES) / PAGE_BYTES);
  const findings = { found: `${pages} pages`, expected: `${Math.max(1, maxPages)} pages` };
  const advice = 'Free some space: the service never removes old scan directories.';
  if (pages === 0)
    return fail(about, `There is no room for a page in ${directory}. ${advice}`, findings);
  if (files > 0 && ffree === 0) {
    return fail(
      about,
      `${directory} has no inodes left. Remove files: there are too many of them.`,
    );
  }
  if (pages < maxPages) {
    const room = `There is room for about ${pages} pages in ${directory}, and a profile allows ${maxPages} per scan.`;
    return warn(about, `${room} ${advice}`, findings);
  }
  return ok(about, `There is room for about ${pages} pages.`, findings);
}

async function checkSync(directory: string, syncSpeed: SyncSpeed): Promise<Check> {
  const about = { id: 'storage.sync', subject: directory };
  let median: number;
  try {
    median = await syncSpeed(directory);
  } catch (error) {
    return fail(
      about,
      `A file in ${directory} cannot be written (${errorCode(error)}). Check the disk.`,
    );
  }
  const findings = { found: `${median} ms`, expected: `at most ${SLOW_SYNC_MS} ms` };
  if (median <= SLOW_SYNC_MS) {
    return ok(about, `It takes ${median} ms until 1 MB is safe on disk.`, findings);
  }
  return warn(
    about,
    `It takes ${median} ms until 1 MB is safe on disk. Use another disk: an SD card may be worn out, or a network share slow.`,
    findings,
  );
}

async function timedSync(directory: string): Promise<number> {
  const file = path.join(directory, `.self-test-${randomBytes(6).toString('hex')}`);
  const began = performance.now();
  try {
    await using handle = await open(file, 'wx', 0o600);
    await handle.writeFile(Buffer.alloc(PROBE_BYTES));
    await handle.sync();
    return performance.now() - began;
  } finally {
    await rm(file, { force: true });
  }
}
