import path from 'node:path';
import { Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';
import { createDirectoryLocks } from './directory-lock.ts';
import { reopenEventFile, stamped, type InTime, type ReadEvents } from './event-file.ts';
import { foldFirst } from './fold.ts';
import { openScan, type OpenScan, type OpenScanParts } from './open-scan.ts';
import {
  createRecordedCalls,
  type RecordedCalls,
  type RecordedCallsParts,
} from './recorded-calls.ts';
import { createStaleRecords, type StaleRecords } from './stale-records.ts';
import { createRootReads, type RootReads } from './root-reads.ts';
import {
  checkSize,
  findBelow,
  readRecord,
  removeTemporaryFiles,
  scanDirectories,
  type Purpose,
} from './scan-directory.ts';
import { EVENT_FORMAT, type Begun } from './scan-event.ts';
import { openScanFile, type ScanFile } from './scan-file.ts';
import { SCAN_ID } from './scan-id.ts';
import type { ScanListener, ScanRecord } from './scan-record.ts';
import { createScanIndex, newest, type ScanIndex } from './scan-index.ts';
import { summaryOf, viewOf, type ScanSummary } from './scan-view.ts';

export interface StoredScan {
  readonly directory: string;
  readonly record: ScanRecord;
  readonly sequence: number;
  /** True while a call or an edit works on the scan. */
  readonly isOpen: boolean;
}

/** `summary` is undefined if the events cannot be read. */
export interface ListedScan {
  readonly id: string;
  readonly summary: ScanSummary | undefined;
}

export interface ScanList {
  readonly scans: readonly ListedScan[];
  readonly more: boolean;
}

export interface ScanArchive extends Pick<RecordedCalls, 'recall'> {
  /** Lists the newest scans first. With `before`, only scans older than that id. */
  list(limit: number, before?: string): Promise<ScanList>;
  /** Throws Failure `scan_not_found` or `scan_record_unreadable`. */
  find(id: string): Promise<StoredScan>;
  /** Calls `onEvent` for each past event, in order. Throws like `find`. */
  replay(id: string, onEvent: ScanListener): Promise<void>;
  /** Opens a page or document. Throws Failure `scan_not_found` or `not_found`. */
  openFile(id: string, name: string): Promise<ScanFile>;
  /** Creates a scan directory. Throws Failure `output_dir_in_use` and disk errors. */
  begin(begun: Omit<Begun, 'at' | 'type' | 'format'>): Promise<OpenScan>;
  /**
   * Opens a stored scan to resume or edit it. The scan must not be open already. Throws like `find`
   * and `begin`, and Failure `scan_not_resumable` or `scan_not_editable` if the record is too
   * large.
   */
  open(id: string, purpose?: Purpose): Promise<OpenScan>;
  /** Updates `scan.json` unless the scan is open. Throws like `open`. */
  refresh(id: string): Promise<void>;
  /** Throws Failure `output_dir_in_use` while another service uses the directory. */
  checkOwner(root: string): Promise<void>;
  close(): Promise<void>;
}

export interface ArchiveOptions {
  readonly roots: () => readonly string[];
  readonly remember?: (root: string) => Promise<void>;
  readonly listener: ScanListener;
  /** Called when a scan is closed, even if its end could not be recorded. */
  readonly onClosed?: (scanId: string) => void;
  readonly log: Log;
  readonly rootReads?: RootReads;
}

export function createScanArchive(options: ArchiveOptions): ScanArchive {
  const state = newState(options);
  const locks = createDirectoryLocks(options.log);
  const stale = createStaleRecords({
    isOpen: (id) => state.open.has(id),
    read: async (directory) => (await recordIn(state, directory)).record,
    log: options.log,
  });
  const createScanDirectory = scanDirectories();
  const { note, recall } = createRecordedCalls(callParts(state));
  const listener: ScanListener = (...event) => {
    note(...event);
    options.listener(...event);
  };
  const opened = (id: string, parts: KnownParts): OpenScan =>
    opening(id, parts, state, { ...options, listener, stale });
  return {
    recall,
    list: (limit, before) => {
      const key = `${state.openings} ${limit} ${before}`;
      return shareRead(state.listing, key, () => list(state, limit, before));
    },
    find: (id) => find(state, id),
    replay: async (id, onEvent) => {
      const directory = await directoryOf(state, id);
      await readRecord(directory, onEvent, readsOf(state, directory));
    },
    openFile: async (id, name) => openScanFile(await directoryOf(state, id), name),
    begin: async (begun) => {
      const first = stamped({ type: 'begun', format: EVENT_FORMAT, ...begun } as const);
      const root = begun.settings.paths.output_dir;
      await locks.take(root);
      await options.remember?.(root);
      const directory = path.join(root, begun.scan_id);
      const file = await createScanDirectory(directory, first);
      const record = foldFirst(first);
      return opened(begun.scan_id, { directory, file, record, sequence: 1, first });
    },
    refresh: async (id) => {
      const directory = await directoryOf(state, id);
      await locks.take(path.dirname(directory));
      await stale.refresh({ id, directory });
    },
    checkOwner: (root) => locks.check(root),
    open: async (id, purpose = 'call') => {
      const directory = await directoryOf(state, id);
      await locks.take(path.dirname(directory));
      await removeTemporaryFiles(directory);
      const reads = readsOf(state, directory);
      const { wholeBytes, ...known } = await readRecord(directory, undefined, reads);
      checkSize(known.record, wholeBytes, purpose);
      return opened(id, {
        ...known,
        directory,
        file: await reopenEventFile(directory, wholeBytes),
      });
    },
    close: () => locks.releaseAll(),
  };
}

function newState({ roots, rootReads, log }: ArchiveOptions): ArchiveState {
  return {
    roots: () => [...new Set(roots())],
    open: new Map(),
    index: createScanIndex(),
    reading: new Map(),
    listing: new Map(),
    rootReads: rootReads ?? createRootReads(log),
    openings: 0,
  };
}

function callParts({ roots, rootReads, index }: ArchiveState): RecordedCallsParts {
  return {
    roots,
    ids: (root) => rootReads.run(root, () => index.ids(root)),
    inTime: (root) => (read) => rootReads.run(root, read),
  };
}

type KnownParts = Pick<OpenScanParts, 'directory' | 'file' | 'record' | 'sequence' | 'first'>;

function opening(
  id: string,
  parts: KnownParts,
  state: ArchiveState,
  { listener, log, onClosed, stale }: ArchiveOptions & { readonly stale: StaleRecords },
): OpenScan {
  const { directory } = parts;
  const scan = openScan({
    ...parts,
    listener,
    log,
    onClose: () => {
      state.open.delete(id);
      onClosed?.(id);
    },
    onClosed: (isCurrent) => stale.onScanClosed({ id, directory }, isCurrent),
  });
  state.open.set(id, scan);
  state.openings += 1;
  return scan;
}

interface ArchiveState {
  readonly roots: () => readonly string[];
  /** The open scans by id. Their state is in memory. */
  readonly open: Map<string, OpenScan>;
  readonly rootReads: RootReads;
  readonly index: ScanIndex;
  readonly reading: Map<string, Promise<ReadEvents>>;
  readonly listing: Map<string, Promise<ScanList>>;
  openings: number;
}

async function directoryOf({ roots, rootReads }: ArchiveState, id: string): Promise<string> {
  const asked = SCAN_ID.test(id) ? roots() : [];
  const found = await rootReads.first(asked, (root) => findBelow(root, id));
  if (found !== undefined) return found;
  const message = 'There is no scan with this id in the output directories. GET /scans lists them.';
  throw new Failure('scan_not_found', message);
}

async function find(state: ArchiveState, id: string): Promise<StoredScan> {
  const before = openScanOf(state, id);
  if (before) return before;
  const directory = await directoryOf(state, id);
  const { record, sequence } = await recordIn(state, directory);
  return openScanOf(state, id) ?? { directory, record, sequence, isOpen: false };
}

/** Concurrent callers share a read, because a record may have several MB. */
async function recordIn(state: ArchiveState, directory: string): Promise<ReadEvents> {
  return unlessOpened(state, () =>
    shareRead(state.reading, `${state.openings} ${directory}`, () =>
      readRecord(directory, undefined, readsOf(state, directory)),
    ),
  );
}

/**
 * Concurrent calls with the same key share a read. Keys contain `openings`, so that no call joins a
 * read that began before a scan was opened.
 */
async function shareRead<Value>(
  underWay: Map<string, Promise<Value>>,
  key: string,
  read: () => Promise<Value>,
): Promise<Value> {
  const reading = underWay.get(key) ?? read().finally(() => underWay.delete(key));
  underWay.set(key, reading);
  return reading;
}

function readsOf({ rootReads }: ArchiveState, directory: string): InTime {
  return (read) => rootReads.run(path.dirname(directory), read);
}

/** Reads again if a scan was opened meanwhile, which the first read may show as interrupted. */
async function unlessOpened<T>(state: ArchiveState, read: () => Promise<T>): Promise<T> {
  const { openings } = state;
  const value = await read();
  return openings === state.openings ? value : read();
}

function openScanOf({ open }: ArchiveState, id: string): StoredScan | undefined {
  const scan = open.get(id);
  if (scan === undefined) return undefined;
  const { directory } = scan;
  return { directory, record: scan.record(), sequence: scan.sequence(), isOpen: true };
}

async function list(
  state: ArchiveState,
  limit: number,
  before: string | undefined,
): Promise<ScanList> {
  const found = await state.rootReads.all(state.roots(), (root) =>
    state.index.ids(root).catch(() => []),
  );
  const page = newest(found, { count: limit + 1, before });
  const scans = page.slice(0, limit).map(({ root, id }) => listed(state, root, id));
  return { scans: await Promise.all(scans), more: page.length > limit };
}

async function listed(state: ArchiveState, root: string, id: string): Promise<ListedScan> {
  const now = (): ListedScan | undefined => {
    const scan = openScanOf(state, id);
    return scan && { id, summary: summaryOf(viewOf(scan.record, true)) };
  };
  const before = now();
  if (before) return before;
  const directory = path.join(root, id);
  const read = (): Promise<ScanSummary> =>
    state.rootReads.run(root, () => state.index.summary(directory));
  const summary = await unlessOpened(state, read).catch(() => undefined);
  return now() ?? { id, summary };
}
