import { parseArgs } from 'node:util';
import { counted } from '../../helpers/counted.ts';
import { isMissing, messageOf } from '../../helpers/error-code.ts';
import { usageProblem, WRONG_USAGE } from '../../helpers/usage.ts';
import { createLog } from '../../helpers/log.ts';
import { openKnownRoots } from '../../service/archive/known-roots.ts';
import { readEnvironment } from '../../service/environment.ts';
import { findScans, type FoundScans, type OldScan } from './find-scans.ts';
import { removeScan } from './remove-scan.ts';

const DEFAULT_DAYS = 90;
const DAY_MS = 24 * 60 * 60 * 1000;
const BYTES_PER_MB = 1_000_000;

const USAGE = `Usage: npm run prune -- [--days ${DEFAULT_DAYS}] [--delete] [--dir DIRECTORY]

Lists the scans that every destination has accepted completely and that have not changed for some days, with the space they take. Removes them
with --delete. Scans that are held, unfinished, failed or in doubt are never removed.

  --days N         for how many days nothing has changed (default: ${DEFAULT_DAYS})
  --delete         remove them
  --dir DIRECTORY  an output directory; by default OUTPUT_DIR and all that held scans before
  --help           show this help`;

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  console.error(usageProblem(error, USAGE));
  process.exitCode = WRONG_USAGE;
}

/** Resolves with the exit code: 0, or 1 if a directory or scan failed. */
async function run(args: readonly string[]): Promise<number> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      days: { type: 'string', default: String(DEFAULT_DAYS) },
      delete: { type: 'boolean', default: false },
      dir: { type: 'string', multiple: true },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (!/^[1-9]\d{0,4}$/.test(values.days))
    throw new Error('--days must be a whole number from 1 on.');
  const before = new Date(Date.now() - Number(values.days) * DAY_MS);
  const roots = values.dir ?? (await knownRoots());
  const isTyped = values.dir !== undefined;
  const results = [];
  for (const root of roots)
    results.push(await prune(root, { before, isDeleting: values.delete, isTyped }));
  return Math.max(...results);
}

async function knownRoots(): Promise<string[]> {
  const { outputDir, logLevel } = readEnvironment();
  const log = createLog('prune', logLevel);
  return (await openKnownRoots(outputDir, { current: () => [], log })).list();
}

async function prune(
  root: string,
  { before, isDeleting, isTyped }: { before: Date; isDeleting: boolean; isTyped: boolean },
): Promise<number> {
  let found: FoundScans;
  try {
    found = await findScans(root, before);
  } catch (error) {
    // A missing directory may be a typing error in an option. The service's own directory is only
    // missing before the first scan.
    if (isMissing(error) && !isTyped) {
      console.log(`${root} does not exist, so there is nothing to remove.`);
      return 0;
    }
    console.error(`${root} cannot be read: ${messageOf(error)}`);
    return 1;
  }
  console.log(`${root}:`);
  const failed = [];
  let freed = 0;
  for (const scan of found.old) {
    const problem = isDeleting ? await remove(scan, before) : undefined;
    console.log(`  ${lineOf(scan)}${problem === undefined ? '' : `  NOT REMOVED: ${problem}`}`);
    if (problem === undefined) freed += scan.bytes;
    else failed.push(scan);
  }
  const count = counted(found.old.length - failed.length, 'scan');
  const size = `${(freed / BYTES_PER_MB).toFixed(1)} MB`;
  console.log(`  ${outcome(found.old.length, { isDeleting, count, size })}`);
  for (const [reason, number] of found.kept)
    console.log(`  Kept ${counted(number, 'scan')}: ${reason}.`);
  return failed.length > 0 ? 1 : 0;
}

function outcome(
  candidates: number,
  { isDeleting, count, size }: { isDeleting: boolean; count: string; size: string },
): string {
  if (candidates === 0) return 'No scan can be removed.';
  if (isDeleting) return `Removed ${count}: ${size} are free.`;
  return `${count}, ${size}. Nothing was removed: add --delete to remove them.`;
}

/** Undefined if the scan was removed, otherwise the reason why not. */
async function remove({ directory }: OldScan, before: Date): Promise<string | undefined> {
  try {
    return (await removeScan(directory, before)) ? undefined : 'it has changed just now.';
  } catch (error) {
    return messageOf(error);
  }
}

function lineOf({ directory, endedAt, pages, bytes, title }: OldScan): string {
  const id = directory.slice(directory.lastIndexOf('/') + 1);
  const size = `${(bytes / BYTES_PER_MB).toFixed(1)} MB`;
  return [id, endedAt.slice(0, 10), counted(pages, 'page'), size, title].join('  ');
}
