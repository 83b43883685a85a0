import type { Crop, QuarterTurn } from '../../helpers/page-crop.ts';
import { cause } from '../paperless/causes.ts';
import { unknown, type Delivery, type DocumentMetadata } from '../paperless/destination.ts';
import type { BacksOrder, Profile } from '../profiles/profile.ts';
import type { ScanSettings } from '../profiles/scan-settings.ts';
import type { Trigger } from '../profiles/trigger.ts';
import type { ScanAgain } from './scan-again.ts';
import type {
  Assembled,
  DroppedPage,
  Ended,
  PageScanned,
  PlannedDocument,
  Recognized,
  ScanEvent,
  Stage,
} from './scan-event.ts';

/**
 * `held`, `failed` and interrupted scans can be resumed. A `held` scan waits for more paper, or for
 * the call that finishes it.
 */
export type ScanState = 'scanning' | 'processing' | 'delivering' | 'finished' | 'held' | 'failed';

/** The state of a scan: the fold of its events. */
export interface ScanRecord {
  readonly scan_id: string;
  readonly profile: string;
  readonly state: ScanState;
  /** The current or last stage. */
  readonly stage: Stage;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** In paper order (sheets.ts), or as a person arranged them. */
  readonly pages: readonly RecordedPage[];
  /** Pages scanned again that replace none: the sheet did not come alone, or it is its other side. */
  readonly spares: readonly RecordedPage[];
  /** The last call, if it scans a page again. */
  readonly again: ScanAgain | undefined;
  /** A person moved a page. */
  readonly arranged: boolean;
  readonly discarded: boolean;
  /** Undefined until the feeder has stopped. */
  readonly duplex: boolean | undefined;
  /** SANE's name of the scanner that fed last, if known. */
  readonly device: string | undefined;
  /** The button or sensor that started the scan; undefined for a request. */
  readonly trigger: Trigger | undefined;
  /** The last call only feeds and recognises. */
  readonly hold: boolean;
  /** At least one call only fed and recognised, so that a person could check before filing. */
  readonly has_waited: boolean;
  /** The order of the backs that the last call feeds; undefined if it feeds new sheets. */
  readonly backs: BacksOrder | undefined;
  /** The fronts and backs differ in number, and nothing has resolved that yet. */
  readonly unmatched: boolean;
  /** The scan was held when the last call began to add paper, and no sheet has moved since. */
  readonly unchanged_hold: boolean;
  readonly documents: readonly RecordedDocument[];
  /** Pages left out by the current plan of documents. */
  readonly dropped_pages: readonly DroppedPage[];
  /** Includes `plan_warnings`. */
  readonly warnings: readonly string[];
  /** Warnings of the current plan, removed when documents are planned again. */
  readonly plan_warnings: readonly string[];
  readonly error: Ended['error'];
  /** Of the last call. */
  readonly duration_ms: number | null;
  readonly timings_ms: Readonly<Record<Stage, number>>;
  readonly request: DocumentMetadata;
  readonly settings: Profile;
  /** The settings chosen for this scan. */
  readonly asked_settings: ScanSettings;
}

/**
 * Called with each durable event, the record after it, its number (its line in the file), and the
 * record before it, which is undefined for the first event. Errors are only logged.
 */
export type ScanListener = (
  event: ScanEvent,
  record: ScanRecord,
  sequence: number,
  before?: ScanRecord,
) => void;

export interface RecordedPage extends Omit<PageScanned, 'type' | 'at'> {
  /** A back that was fed again, or a page that was scanned again: it is in no document. */
  readonly replaced?: true | undefined;
  /** The first page in this place, for a page that was scanned again. */
  readonly stands_for?: number;
  /** The side as it was fed, for a page that was scanned again: `side` is that of its place. */
  readonly scanned_side?: PageScanned['side'];
  /** Left out by a person: it is in no document. */
  readonly left_out?: true | undefined;
  /**
   * Turned by a person, from its orientation at that time. Also set for a page that a person
   * cropped, which keeps its orientation.
   */
  readonly turn?: { readonly from: QuarterTurn; readonly by: QuarterTurn } | undefined;
  readonly starts_document?: true | undefined;
  /** Chosen by a person, on the raw page. */
  readonly crop?: Crop | undefined;
  /** Where the processor found the paper on the raw page; null if it found none. */
  readonly paper?: Crop | null;
  /** Undefined until the page is recognised. */
  readonly recognized?: Omit<Recognized, 'type' | 'at' | 'page'> | undefined;
}

export type MadeFile = Pick<Assembled, 'bytes' | 'sha256' | 'page_count'>;

export interface RecordedDocument extends PlannedDocument {
  /** Undefined until the document is assembled. */
  readonly file: MadeFile | undefined;
  /** SHA-256 of earlier files of the document: a destination may have one that was remade since. */
  readonly earlier_sha256?: readonly string[];
  /** By destination identity. A destination without an entry was never sent the document. */
  readonly uploads: Readonly<Record<string, RecordedUpload>>;
}

export interface RecordedUpload {
  /** The last upload has begun, and its end is not recorded. */
  readonly isOpen: boolean;
  /** The outcome of the last upload that ended. */
  readonly last: Delivery | undefined;
  readonly tasks: readonly string[];
}

/** The delivery state of an upload without an end, on a scan that is not in progress. */
export const CUT_OFF: Delivery = unknown(cause('cut_off', {}));

/** A document that is complete on disk. */
export interface FinishedDocument extends RecordedDocument {
  readonly file: MadeFile;
}

export function finishedDocuments({
  documents,
}: Pick<ScanRecord, 'documents'>): FinishedDocument[] {
  return documents.filter((document): document is FinishedDocument => document.file !== undefined);
}

/** True if every document is made. From then on, documents are delivered unchanged. */
export function isAssembled({ documents }: Pick<ScanRecord, 'documents'>): boolean {
  return documents.length > 0 && documents.every(({ file }) => file !== undefined);
}
