import type { DocumentMetadata } from '../destinations/destination.ts';
import type { SecretReader } from '../destinations/secrets.ts';
import type { Log } from '../../helpers/log.ts';
import type { ProcessorClient } from '../processor/processor-client.ts';
import type { Profile } from '../profiles/profile.ts';
import type { ScannerClient } from '../scanner/scanner-client.ts';
import type { Deadline } from './deadline.ts';
import type { ScanRecord, ScanRecordFile, ScannedDocument, Stage } from './scan-record.ts';

/** What a caller asked for, checked. */
export interface ScanCall {
  readonly profile: Profile;
  /** From the request; overrides the profile's. */
  readonly metadata: DocumentMetadata;
}

/** The parts that a scan goes through. */
export interface ScanParts {
  readonly scanner: ScannerClient;
  readonly processor: ProcessorClient;
  readonly readSecret: SecretReader;
}

/** One scan under way: what every stage needs of it. */
export interface Scan extends ScanCall {
  readonly id: string;
  readonly directory: string;
  readonly startedAt: Date;
  readonly record: ScanRecordFile;
  readonly deadline: Deadline;
  readonly log: Log;
}

/** The body of a successful POST /scan (SPEC.md §2). */
export interface ScanResult {
  readonly scan_id: string;
  readonly profile: string;
  readonly page_count: number;
  readonly pages: readonly string[];
  readonly duration_ms: number;
  readonly timings_ms: Readonly<Record<Stage, number>>;
  readonly warnings: readonly string[];
  readonly documents: readonly ResultDocument[];
}

export type ResultDocument = Omit<ScannedDocument, 'title' | 'outcomes'>;

/** The answer to the caller, from what the record knows. */
export function toResult(record: ScanRecord): ScanResult {
  return {
    scan_id: record.scan_id,
    profile: record.profile,
    page_count: record.page_count,
    pages: record.pages,
    duration_ms: record.duration_ms ?? 0,
    timings_ms: record.timings_ms,
    warnings: [...record.warnings, ...doubts(record)],
    documents: toResultDocuments(record.documents),
  };
}

/** Deliveries of which nobody knows whether they arrived, one line each with what to do. */
function doubts({ scan_id, documents }: ScanRecord): string[] {
  const advice = `look there, and POST {"resend_unknown": true} to /scans/${scan_id}/resume if it did not`;
  return documents.flatMap(({ filename, outcomes }) =>
    outcomes.flatMap((outcome, index) =>
      outcome === 'unknown'
        ? `${filename} may or may not have arrived at destination ${index + 1}: ${advice}`
        : [],
    ),
  );
}

/** Documents as callers see them: what is only for our own book-keeping is left out. */
export function toResultDocuments(documents: readonly ScannedDocument[]): ResultDocument[] {
  return documents.map(({ filename, pages, page_count, bytes, sha256, destinations }) => ({
    filename,
    pages,
    page_count,
    bytes,
    sha256,
    destinations,
  }));
}
