import path from 'node:path';
import type { FailureCode } from '../../helpers/failure.ts';
import type { Profile } from '../profiles/profile.ts';
import type { Delivery, DestinationEntry, DocumentMetadata } from '../destinations/destination.ts';
import { writeAtomically } from '../storage/write-atomically.ts';
import { deliveryJournalIn } from './delivery-journal-file.ts';
import { withNotes, type DeliveryNote } from './delivery-journal.ts';

export const SCAN_STATES = ['scanning', 'processing', 'delivering', 'finished', 'failed'] as const;

export type ScanState = (typeof SCAN_STATES)[number];

/** The stages of a scan as callers see them, in their order. */
export const STAGES = ['scan', 'process', 'deliver'] as const;

export type Stage = (typeof STAGES)[number];

/** What can be known of a delivery. */
export const OUTCOMES = ['accepted', 'refused', 'unknown'] as const satisfies Delivery['outcome'][];

export interface ScannedDocument {
  readonly filename: string;
  /** Numbers of its pages. */
  readonly pages: readonly number[];
  readonly page_count: number;
  readonly bytes: number;
  readonly sha256: string;
  readonly title: string;
  /** One entry a configured destination, in delivery order. */
  readonly destinations: readonly DestinationEntry[];
  /** What is known of each delivery, in the same order: an `unknown` one must never be sent again unasked. */
  readonly outcomes: readonly Delivery['outcome'][];
}

/** What `scan.json` holds: the scan result of SPEC.md §2 as far as it has come, and the state. */
export interface ScanRecord {
  readonly scan_id: string;
  /** How often it was written: the journal of a delivery names the one that it is added to. */
  readonly revision: number;
  readonly profile: string;
  readonly state: ScanState;
  /** The stage that the scan is in, or ended in. */
  readonly stage: Stage;
  readonly started_at: string;
  readonly ended_at: string | null;
  readonly page_count: number;
  /** File names, in page order. */
  readonly pages: readonly string[];
  readonly duration_ms: number | null;
  readonly timings_ms: Readonly<Record<Stage, number>>;
  readonly warnings: readonly string[];
  readonly documents: readonly ScannedDocument[];
  readonly error: { readonly error: FailureCode; readonly message: string } | null;
  /** Metadata of the request and the profile as it was: with them the scan can be picked up, whatever changed since. */
  readonly request: DocumentMetadata;
  readonly settings: Profile;
}

export interface ScanRecordFile {
  current(): ScanRecord;
  /** Changes the record and resolves when it is durable on disk. Changes are written one after the other. */
  update(change: Partial<Omit<ScanRecord, 'revision'>>): Promise<void>;
  /**
   * As `update`, for what became known of deliveries, and many times cheaper: see delivery-journal.ts. An `update` must
   * follow: it closes the journal.
   */
  note(notes: readonly DeliveryNote[]): Promise<void>;
}

/** Name of the record in a scan directory. */
export const SCAN_RECORD_FILE = 'scan.json';

/** The record of a scan that begins. */
export function newScanRecord(
  initial: Pick<ScanRecord, 'scan_id' | 'profile' | 'started_at' | 'request' | 'settings'>,
): ScanRecord {
  return {
    ...initial,
    revision: 0,
    state: 'scanning',
    stage: 'scan',
    ended_at: null,
    page_count: 0,
    pages: [],
    duration_ms: null,
    timings_ms: { scan: 0, process: 0, deliver: 0 },
    warnings: [],
    documents: [],
    error: null,
  };
}

/**
 * Writes a record into its scan directory and keeps it there, whole at every moment: `scan.json`, and beside it, from a `note`
 * to the next `update`, a journal.
 */
export async function keepScanRecord(
  directory: string,
  initial: ScanRecord,
): Promise<ScanRecordFile> {
  let record = initial;
  const file = path.join(directory, SCAN_RECORD_FILE);
  const journal = deliveryJournalIn(directory);
  /** All that is known was written: more may be added. */
  let isComplete = false;
  let lastWrite: Promise<void> = Promise.resolve();

  async function writeRecord(): Promise<void> {
    isComplete = false;
    await journal.close();
    record = { ...record, revision: record.revision + 1 };
    await writeAtomically(file, `${JSON.stringify(record, null, 2)}\n`);
    isComplete = true;
    await journal.remove();
  }

  async function writeNotes(notes: readonly DeliveryNote[]): Promise<void> {
    // The record as it is now has the notes in it.
    if (!isComplete) return writeRecord();
    isComplete = false;
    await journal.add(record.revision, notes);
    isComplete = true;
  }

  function inTurn(write: () => Promise<void>): Promise<void> {
    lastWrite = lastWrite.then(write, write);
    return lastWrite;
  }

  await inTurn(writeRecord);
  return {
    current: () => record,
    update: (change) => {
      record = { ...record, ...change };
      return inTurn(writeRecord);
    },
    note: (notes) => {
      record = { ...record, documents: withNotes(record.documents, notes) };
      return inTurn(() => writeNotes(notes));
    },
  };
}
