import { access, constants, open, readdir, rm, stat, statfs } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { EVENT_FILE } from '../archive/event-file.ts';
import { SCAN_ID } from '../archive/scan-id.ts';
import type { Profile } from '../profiles/profile.ts';
import { requireWritable } from '../scan/call/preflight.ts';
import { giveCommand, makeCommand } from '../storage/give-directory.ts';
import { checkFreeSpace, MIN_FREE_BYTES } from '../storage/free-space.ts';
import { fail, ok, warn, type Check, type Found } from './check.ts';

/** Bytes written per measurement. A scanned page has about 9 MB. */
const PROBE_BYTES = 1_000_000;
const PROBES = 3;

/** If a killed service left this file, the next test removes it. */
const PROBE_FILE = '.self-test';

/** Without O_EXCL, because two self-tests may overlap. Follows no links. */
const PROBE_FLAGS =
  constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;

/** For 1 MB. Worn SD cards and slow network shares take longer. */
const SLOW_SYNC_MS = 1000;

/** In bytes: A4 in gray at 300 dpi, uncompressed. */
const PAGE_BYTES = 8_700_000;

export interface StorageOptions {
  /** Throws Failure `output_dir_in_use` while another service uses the directory. */
  readonly checkOwner: (directory: string) => Promise<void>;
  /** The median time to write and sync 1 MB, in milliseconds. Rejects if writing fails. */
  readonly syncSpeed?: ((directory: string) => Promise<number>) | undefined;
}

/** Checks whether an output directory has space and is fast enough. Leaves nothing behind. */
export function storageChecks(
  directory: string,
  profiles: readonly Profile[],
  { checkOwner, syncSpeed = measureSync }: StorageOptions,
): Check[] {
  const ofDirectory = profiles.filter(({ paths }) => paths.output_dir === directory);
  const maxPages = Math.max(1, ...ofDirectory.map(({ max_pages }) => max_pages));
  const writable: Check = {
    id: 'storage.writable',
    subject: directory,
    run: async () => {
      if (!(await isThere(directory))) return canBeMade(directory);
      await requireWritable(directory);
      return ok('The service can write to it.');
    },
  };
  const check = (id: string, look: () => Promise<Found>): Check => ({
    id,
    subject: directory,
    needs: writable,
    run: async () => ((await isThere(directory)) ? look() : NOT_YET),
  });
  return [
    writable,
    check('storage.owner', async () => {
      await checkOwner(directory);
      return ok('No other running service uses it.');
    }),
    check('storage.scans', () => canReadScans(directory)),
    check('storage.free', () => hasRoom(directory, maxPages)),
    check('storage.sync', () => isFast(directory, syncSpeed)),
  ];
}

/** The newest are enough: after a restore, usually all scans have the wrong owner. */
const SCANS_LOOKED_AT = 50;

/** Scans may belong to another user than their directory. */
async function canReadScans(directory: string): Promise<Found> {
  const names = (await readdir(directory)).filter((name) => SCAN_ID.test(name)).toSorted();
  const newest = names.slice(-SCANS_LOOKED_AT);
  const rights = constants.R_OK | constants.W_OK;
  const codes = await Promise.all(
    newest.flatMap((name) => [
      access(path.join(directory, name), rights | constants.X_OK).then(() => '', errorCode),
      access(path.join(directory, name, EVENT_FILE), rights).then(() => '', errorCode),
    ]),
  );
  const closed = codes.filter((code) => code === 'EACCES').length;
  if (closed === 0) return ok('The scans in it can be read.');
  const what = `Scans in ${directory} belong to another user: the service, uid ${process.getuid?.()}, cannot read or finish them.`;
  return fail(what, giveCommand(directory));
}

const NOT_YET = ok('It does not exist yet: the first scan makes it.', undefined, 'storage.none');

async function isThere(directory: string): Promise<boolean> {
  return (await stat(directory).then(() => undefined, errorCode)) !== 'ENOENT';
}

async function canBeMade(directory: string): Promise<Found> {
  let parent = path.dirname(directory);
  while (!(await isThere(parent))) parent = path.dirname(parent);
  const code = await access(parent, constants.W_OK | constants.X_OK).then(
    () => undefined,
    errorCode,
  );
  if (code === undefined) return NOT_YET;
  const what = `${directory} does not exist, and the service, uid ${process.getuid?.()}, cannot make it in ${parent} (${code}).`;
  const remedy =
    code === 'EROFS'
      ? 'It is on a read-only file system: mount it writable.'
      : makeCommand(directory);
  return fail(what, remedy);
}

async function hasRoom(directory: string, maxPages: number): Promise<Found> {
  await checkFreeSpace(directory, MIN_FREE_BYTES);
  const { bavail, bsize, files, ffree } = await statfs(directory);
  if (files > 0 && ffree === 0) {
    const remedy = 'Remove files: there are too many of them.';
    return fail(`${directory} has no inodes left.`, remedy);
  }
  const pages = Math.floor((bavail * bsize - MIN_FREE_BYTES) / PAGE_BYTES);
  const found = `${pages} pages`;
  if (pages >= maxPages) return ok(`There is room for about ${pages} pages.`, found);
  return warn(
    `There is room for about ${Math.max(0, pages)} pages in ${directory}, and a profile allows ${maxPages} per scan.`,
    'Free some space: the service never removes old scan directories.',
    { found, expected: `${maxPages} pages` },
  );
}

async function isFast(
  directory: string,
  syncSpeed: (directory: string) => Promise<number>,
): Promise<Found> {
  let median: number;
  try {
    median = await syncSpeed(directory);
  } catch (error) {
    const what = `A file in ${directory} cannot be written (${errorCode(error)}).`;
    return fail(what, 'Check the disk.');
  }
  const found = `${median} ms`;
  const what = `It takes ${found} until 1 MB is safe on disk.`;
  if (median <= SLOW_SYNC_MS) return ok(what, found);
  const remedy = 'Use another disk: an SD card may be worn out, or a network share slow.';
  return warn(what, remedy, { found, expected: `at most ${SLOW_SYNC_MS} ms` });
}

async function measureSync(directory: string): Promise<number> {
  const file = path.join(directory, PROBE_FILE);
  const times: number[] = [];
  for (let probe = 0; probe < PROBES; probe += 1) times.push(await timedSync(file));
  return Math.round(times.toSorted((a, b) => a - b)[1] ?? 0);
}

async function timedSync(file: string): Promise<number> {
  await rm(file, { force: true });
  const began = performance.now();
  try {
    await using handle = await open(file, PROBE_FLAGS, 0o600);
    await handle.writeFile(Buffer.alloc(PROBE_BYTES));
    await handle.sync();
    return performance.now() - began;
  } finally {
    await rm(file, { force: true });
  }
}
