import { lstat, readdir } from 'node:fs/promises';
import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { DELIVERY_JOURNAL_FILE, parseJournal, withNotes } from '../scan/delivery-journal.ts';
import { SCAN_ID } from '../scan/scan-id.ts';
import { SCAN_RECORD_FILE, type ScanRecord } from '../scan/scan-record.ts';
import { openPlainFile, openScanFile, type ScanFile } from './scan-file.ts';
import {
  DELIVERY_JOURNAL_SCHEMA,
  SCAN_RECORD_SCHEMA,
  type DeliveryJournal,
} from './scan-record-schema.ts';

/** Largest record, or journal, that is read, in bytes; one of 1,000 pages and as many documents has less than 2 MB. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024;

/** A scan as it lies on disk. */
export interface StoredScan {
  readonly directory: string;
  readonly record: ScanRecord;
}

/** A scan in a list; `record` is missing where its `scan.json` cannot be read. */
export interface ListedScan {
  readonly id: string;
  readonly record: ScanRecord | undefined;
}

export interface ScanPage {
  readonly scans: readonly ListedScan[];
  /** There are older ones. */
  readonly more: boolean;
}

/** The scan directories, read as they are at each call: there is no other store. Nothing here changes them. */
export interface ScanArchive {
  /** Scans, newest first; only those older than the id `before` where it is given. */
  list(limit: number, before?: string): Promise<ScanPage>;
  /** Throws Failure `scan_not_found`, or `scan_record_unreadable`. */
  find(id: string): Promise<StoredScan>;
  /** A page or document of a scan, open for reading; throws Failure `scan_not_found` or `not_found`. */
  openFile(id: string, name: string): Promise<ScanFile>;
}

/** An archive of the scan directories below `roots()`, which is asked at each call: profiles come and go. */
export function createScanArchive(roots: () => readonly string[]): ScanArchive {
  async function directoryOf(id: string): Promise<string> {
    for (const root of SCAN_ID.test(id) ? new Set(roots()) : []) {
      const directory = path.join(root, id);
      // A link might lead out of the tree.
      const found = await lstat(directory).catch((error: unknown) => {
        if (isAbsence(error)) return undefined;
        throw unreadable(directory, error);
      });
      if (found?.isDirectory()) return directory;
    }
    const message = 'there is no scan of that id in the output directories: see GET /scans';
    throw new Failure('scan_not_found', message);
  }

  async function find(id: string): Promise<StoredScan> {
    const directory = await directoryOf(id);
    return { directory, record: await readScanRecord(directory) };
  }

  return {
    list: async (limit, before) => {
      const names = await Promise.all([...new Set(roots())].map(idsIn));
      const older = [...new Set(names.flat())]
        .filter((id) => before === undefined || id < before)
        .toSorted()
        .toReversed();
      const scans = older.slice(0, limit).map(async (id) => ({
        id,
        record: await find(id).then(
          (scan) => scan.record,
          () => undefined,
        ),
      }));
      return { scans: await Promise.all(scans), more: older.length > limit };
    },
    find,
    openFile: async (id, name) => {
      const directory = await directoryOf(id).catch((error: unknown) => {
        if (error instanceof Failure && error.code === 'scan_record_unreadable') {
          throw new Failure('not_found', error.message, { cause: error });
        }
        throw error;
      });
      return openScanFile(directory, name);
    },
  };
}

/**
 * Reads and checks the `scan.json` of a scan directory, and adds what the journal of a delivery says; throws Failure
 * `scan_record_unreadable` that says what is wrong with them. Its settings name the root where the directory is now,
 * wherever it was when it was written.
 */
export async function readScanRecord(directory: string): Promise<ScanRecord> {
  try {
    // In this order: a record that is written meanwhile has in it what the journal said, and makes it void.
    const journal = await readJournal(directory);
    const text = await readRecordFile(path.join(directory, SCAN_RECORD_FILE));
    const { value, error } = SCAN_RECORD_SCHEMA.validate(JSON.parse(text));
    if (error) throw error;
    if (value.scan_id !== path.basename(directory)) throw new Error('it is that of another scan');
    const paths = { output_dir: path.dirname(directory) };
    const documents = withJournal(value, journal);
    return { ...value, documents, settings: { ...value.settings, paths } };
  } catch (error) {
    throw unreadable(directory, error);
  }
}

/** Undefined where there is none. */
async function readJournal(directory: string): Promise<DeliveryJournal | undefined> {
  try {
    const text = await readRecordFile(path.join(directory, DELIVERY_JOURNAL_FILE));
    const { value, error } = DELIVERY_JOURNAL_SCHEMA.validate(parseJournal(text));
    if (error) throw error;
    return value;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    const reason = error instanceof Error ? error.message : 'unknown error';
    throw new Error(`${DELIVERY_JOURNAL_FILE} beside it: ${reason}`, { cause: error });
  }
}

/** The documents of a record, with what its journal adds; a journal of an earlier revision is void. */
function withJournal(
  { revision, documents }: ScanRecord,
  journal: DeliveryJournal | undefined,
): ScanRecord['documents'] {
  if (!journal || journal.revision < revision) return documents;
  if (journal.revision === revision) return withNotes(documents, journal.notes);
  // Somebody put an older record back: what was sent since would be sent again.
  throw new Error(`it is older than ${DELIVERY_JOURNAL_FILE} beside it`);
}

function unreadable(directory: string, cause: unknown): Failure {
  const reason = cause instanceof Error ? cause.message : 'unknown error';
  return new Failure(
    'scan_record_unreadable',
    `${SCAN_RECORD_FILE} of this scan cannot be used (${reason.slice(0, 300)}): its pages are untouched in ${directory}`,
    { cause },
  );
}

/** Whether an error says that there is nothing, and not that it cannot be seen. */
function isAbsence(error: unknown): boolean {
  const code = errorCode(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

async function readRecordFile(file: string): Promise<string> {
  const { handle, bytes } = await openPlainFile(file);
  try {
    if (bytes > MAX_RECORD_BYTES) throw new Error(`it has ${bytes} bytes`);
    return await handle.readFile('utf8');
  } finally {
    await handle.close();
  }
}

/** Scan ids in a root; one that is not there, or cannot be read, has none. */
async function idsIn(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  return entries
    .filter((entry) => entry.isDirectory() && SCAN_ID.test(entry.name))
    .map(({ name }) => name);
}
