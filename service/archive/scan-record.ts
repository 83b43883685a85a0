import { cause } from '../paperless/causes.ts';
import { unknown, type Delivery, type DocumentMetadata } from '../paperless/destination.ts';
import type { BacksOrder, Profile } from '../profiles/profile.ts';
import type { ScanSettings } from '../profiles/scan-settings.ts';
import type { Trigger } from '../profiles/trigger.ts';
import type {
  Assembled,
  DroppedPage,
  Ended,
  PageScanned,
  PlannedDocument,
  QuarterTurn,
  Recognized,
  ScanEvent,
  Stage,
} from './scan-event.ts';

/**
 * `held` and `failed` scans, and those that have not ended although nobody works on them, can be resumed. A `held` one waits for
 * more paper, or for the call that finishes it.
 */
export type ScanState = 'scanning' | 'processing' | 'delivering' | 'finished' | 'held' | 'failed';

/** Everything known about a scan: the fold of its events. */
export interface ScanRecord {
  readonly scan_id: string;
  readonly profile: string;
  readonly state: ScanState;
  /** The stage that the scan is in, or ended in. */
  readonly stage: Stage;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** In the order of the paper, see sheets.ts, or as a person arranged them. */
  readonly pages: readonly RecordedPage[];
  /** A person moved a page. */
  readonly arranged: boolean;
  /** A person decided that the scan is not to be filed. */
  readonly discarded: boolean;
  /** Undefined until the feeder has stopped. */
  readonly duplex: boolean | undefined;
  /** What at the scanner began it; undefined where a request did. */
  readonly trigger: Trigger | undefined;
  /** The last call feeds and recognises only. */
  readonly hold: boolean;
  /** A call was to feed and recognise only: somebody wanted to look before anything is filed. */
  readonly has_waited: boolean;
  /** The last call feeds the second sides of the sheets, in this order; undefined where it feeds sheets of their own. */
  readonly backs: BacksOrder | undefined;
  /** The fronts and the backs were found to differ in number, and nothing has been done about it since. */
  readonly unmatched: boolean;
  /** The scan was held when the last call began to add paper, and no sheet has moved since. */
  readonly unchanged_hold: boolean;
  readonly documents: readonly RecordedDocument[];
  /** Pages that are in no document, as far as documents are planned. */
  readonly dropped_pages: readonly DroppedPage[];
  /** Those of the plan of documents are among them. */
  readonly warnings: readonly string[];
  /** The warnings that go when the documents are planned anew. */
  readonly plan_warnings: readonly string[];
  readonly error: Ended['error'];
  /** Of the last call. */
  readonly duration_ms: number | null;
  readonly timings_ms: Readonly<Record<Stage, number>>;
  /** Metadata of the request. */
  readonly request: DocumentMetadata;
  readonly settings: Profile;
  /** What of them the caller chose for this scan. */
  readonly asked_settings: ScanSettings;
}

/**
 * Called with each event once it is durable, with what is known after it, with its number, which is that of its line in the file, and
 * with what was known before it; nothing was before the first one. What it throws is only logged.
 */
export type ScanListener = (
  event: ScanEvent,
  record: ScanRecord,
  sequence: number,
  before?: ScanRecord,
) => void;

export interface RecordedPage extends Omit<PageScanned, 'type' | 'at'> {
  /** A back that was fed again: it is in no document. */
  readonly replaced?: true;
  /** A person left it out: it is in no document. */
  readonly left_out?: true | undefined;
  /** A person turned it by so much, from how it stood then. */
  readonly turn?: { readonly from: QuarterTurn; readonly by: QuarterTurn } | undefined;
  /** A person wants a document to begin with it. */
  readonly starts_document?: true | undefined;
  /** Undefined until the page is recognised. */
  readonly recognized?: Omit<Recognized, 'type' | 'at' | 'page'> | undefined;
}

export interface RecordedDocument extends PlannedDocument {
  /** Undefined until the document is assembled. */
  readonly file: Pick<Assembled, 'bytes' | 'sha256'> | undefined;
  /** By identity of the destination; one without an entry was never sent it. */
  readonly uploads: Readonly<Record<string, RecordedUpload>>;
}

/** The uploads of a document to a destination. */
export interface RecordedUpload {
  /** The last one has begun, and its end is not recorded. */
  readonly isOpen: boolean;
  /** How it ended, or the one before it. */
  readonly last: Delivery | undefined;
  /** Tasks of the uploads so far. */
  readonly tasks: readonly string[];
}

/** What is known of an upload that has no end although nobody works on the scan any more. */
export const CUT_OFF: Delivery = unknown(cause('cut_off', {}));

/** A document that is complete on disk. */
export interface FinishedDocument extends RecordedDocument {
  readonly file: Pick<Assembled, 'bytes' | 'sha256'>;
}

/** The documents that are complete, in order. */
export function finishedDocuments({
  documents,
}: Pick<ScanRecord, 'documents'>): FinishedDocument[] {
  return documents.filter((document): document is FinishedDocument => document.file !== undefined);
}

/** Whether every document is made: from then on they are delivered as they are. */
export function isAssembled({ documents }: Pick<ScanRecord, 'documents'>): boolean {
  return documents.length > 0 && documents.every(({ file }) => file !== undefined);
}
