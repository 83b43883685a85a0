import type { Crop, QuarterTurn } from '../../helpers/page-crop.ts';
import { cause } from '../paperless/causes.ts';
import { unknown, type Delivery, type DocumentMetadata } from '../paperless/destination.ts';
import type { BacksOrder, Profile } from '../profiles/profile.ts';
import type { PageSettings, ScanSettings } from '../profiles/scan-settings.ts';
import type { Trigger } from '../profiles/trigger.ts';
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

/** Held, failed and interrupted scans can be resumed. A held scan waits for a person. */
export type ScanState = 'scanning' | 'processing' | 'delivering' | 'finished' | 'held' | 'failed';

/**
 * A page being scanned again. If exactly one sheet is fed completely, an event `replaced` puts the
 * new page in its place. Until then, new pages are replacement candidates. A failed call changes
 * nothing.
 */
export interface Rescan {
  readonly page: number;
  readonly settings: PageSettings;
  /** Highest page number before the call. */
  readonly after: number;
  /** Warnings about the new sheet. They count only if it replaces the page. */
  readonly warnings: readonly string[];
  readonly before: Pick<ScanRecord, 'state' | 'stage' | 'ended_at' | 'error'>;
  /** Undefined while the call runs. `cut_off`: the service stopped during the call. */
  readonly end?: 'ended' | 'cut_off';
}

export interface ScanRecord {
  readonly scan_id: string;
  readonly profile: string;
  readonly state: ScanState;
  readonly stage: Stage;
  readonly started_at: string;
  readonly ended_at: string | null;
  /** In paper order (sheets.ts), or as a person arranged them. */
  readonly pages: readonly RecordedPage[];
  /** Pages that were scanned to replace another one, but were not used. */
  readonly replacementCandidates: readonly RecordedPage[];
  /** Set if the last call scans a page again. */
  readonly rescan: Rescan | undefined;
  readonly arranged: boolean;
  readonly discarded: boolean;
  /** Undefined until the feeder has stopped. */
  readonly duplex: boolean | undefined;
  /** The name in SANE of the scanner that fed last. */
  readonly device: string | undefined;
  /** The button or sensor that started the scan. Undefined for an API request. */
  readonly trigger: Trigger | undefined;
  /** True if the last call stops after recognition and waits for a person. */
  readonly hold: boolean;
  /** True if any call was to stop after recognition, so that a person could check the pages. */
  readonly has_waited: boolean;
  /** The order of the backs that the last call feeds. Undefined if it feeds none. */
  readonly backs: BacksOrder | undefined;
  /** True if fronts and backs differ in number, and a person has to decide. */
  readonly unmatched: boolean;
  /** True if the last call found the scan held, and no sheet has moved since. */
  readonly unchanged_hold: boolean;
  readonly documents: readonly RecordedDocument[];
  readonly dropped_pages: readonly DroppedPage[];
  /** Includes `plan_warnings`. */
  readonly warnings: readonly string[];
  readonly plan_warnings: readonly string[];
  readonly error: Ended['error'];
  /** The duration of the last call; `timings_ms` also has stages of earlier calls. */
  readonly duration_ms: number | null;
  readonly timings_ms: Readonly<Record<Stage, number>>;
  readonly request: DocumentMetadata;
  readonly settings: Profile;
  readonly asked_settings: ScanSettings;
}

/**
 * Receives a durable event, the record before and after, and its line number. Errors are logged.
 */
export type ScanListener = (
  event: ScanEvent,
  record: ScanRecord,
  sequence: number,
  before?: ScanRecord,
) => void;

export interface RecordedPage extends Omit<PageScanned, 'type' | 'at'> {
  readonly replaced?: true | undefined;
  /** The number of the page that was first scanned in this place. */
  readonly original_number?: number;
  /** The side as scanned, for a page that replaced another one. */
  readonly scanned_side?: PageScanned['side'];
  readonly left_out?: true | undefined;
  /** Set if a person turned or cropped the page: `from` is the orientation they saw. */
  readonly turn?: { readonly from: QuarterTurn; readonly by: QuarterTurn } | undefined;
  readonly starts_document?: true | undefined;
  /** A person's crop, in coordinates on the raw page. */
  readonly crop?: Crop | undefined;
  /** Outline of the paper, in coordinates on the raw page; null if not found. */
  readonly paper?: Crop | null;
  readonly recognized?: Omit<Recognized, 'type' | 'at' | 'page'> | undefined;
}

export type MadeFile = Pick<Assembled, 'bytes' | 'sha256' | 'page_count'>;

export interface RecordedDocument extends PlannedDocument {
  readonly file: MadeFile | undefined;
  /** Checksums of earlier versions of the PDF, which a destination may have. */
  readonly earlier_sha256?: readonly string[];
  /** By destination identity. A destination that was never sent the document has no entry. */
  readonly uploads: Readonly<Record<string, RecordedUpload>>;
}

export interface RecordedUpload {
  /** True if the last upload has begun, and its end is not recorded. */
  readonly isOpen: boolean;
  readonly last: Delivery | undefined;
  readonly tasks: readonly string[];
}

/** The outcome of an upload that was cut off because the service stopped. */
export const CUT_OFF: Delivery = unknown(cause('cut_off', {}));

export interface FinishedDocument extends RecordedDocument {
  readonly file: MadeFile;
}

export function finishedDocuments({
  documents,
}: Pick<ScanRecord, 'documents'>): FinishedDocument[] {
  return documents.filter((document): document is FinishedDocument => document.file !== undefined);
}

/** True if all documents are made. From then on, they are delivered unchanged. */
export function isAssembled({ documents }: Pick<ScanRecord, 'documents'>): boolean {
  return documents.length > 0 && documents.every(({ file }) => file !== undefined);
}
