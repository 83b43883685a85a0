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

/** Scans that are held, failed or interrupted can be resumed. A held scan waits for a person. */
export type ScanState = 'scanning' | 'processing' | 'delivering' | 'finished' | 'held' | 'failed';

/** The state of a scan, folded from its events. */
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
  /** Pages scanned again that replaced no page. */
  readonly spares: readonly RecordedPage[];
  /** Set if the last call scans a page again. */
  readonly again: ScanAgain | undefined;
  /** True if a person moved a page. */
  readonly arranged: boolean;
  readonly discarded: boolean;
  /** Undefined until the feeder has stopped. */
  readonly duplex: boolean | undefined;
  /** SANE's name of the scanner that fed last. */
  readonly device: string | undefined;
  /** The button or sensor that started the scan. Undefined for an API request. */
  readonly trigger: Trigger | undefined;
  /** The last call stops after recognition and waits for a person. */
  readonly hold: boolean;
  /** True if any call stopped after recognition, so that a person could check the pages. */
  readonly has_waited: boolean;
  /** The order of the backs, if the last call feeds backs. */
  readonly backs: BacksOrder | undefined;
  /** Fronts and backs differ in number, and a person has to decide. */
  readonly unmatched: boolean;
  /** The last call began with a held scan, and no sheet has moved since. */
  readonly unchanged_hold: boolean;
  readonly documents: readonly RecordedDocument[];
  readonly dropped_pages: readonly DroppedPage[];
  /** Includes `plan_warnings`. */
  readonly warnings: readonly string[];
  /** The warnings of the current plan of documents. */
  readonly plan_warnings: readonly string[];
  readonly error: Ended['error'];
  readonly duration_ms: number | null;
  readonly timings_ms: Readonly<Record<Stage, number>>;
  readonly request: DocumentMetadata;
  readonly settings: Profile;
  readonly asked_settings: ScanSettings;
}

/**
 * Receives a durable event, the record before and after it, and its line number. Errors are logged.
 */
export type ScanListener = (
  event: ScanEvent,
  record: ScanRecord,
  sequence: number,
  before?: ScanRecord,
) => void;

export interface RecordedPage extends Omit<PageScanned, 'type' | 'at'> {
  /** Replaced by a page that was scanned or fed again. */
  readonly replaced?: true | undefined;
  /** The first page in this place, for a page that was scanned again. */
  readonly stands_for?: number;
  /** The side that was fed. `side` is that of the replaced page. */
  readonly scanned_side?: PageScanned['side'];
  readonly left_out?: true | undefined;
  /** Set by a person who turned or cropped the page: `by` degrees from orientation `from`. */
  readonly turn?: { readonly from: QuarterTurn; readonly by: QuarterTurn } | undefined;
  readonly starts_document?: true | undefined;
  /** Chosen by a person, on the raw page. */
  readonly crop?: Crop | undefined;
  /** The outline of the paper on the raw page; null if the processor found none. */
  readonly paper?: Crop | null;
  /** Undefined before recognition. */
  readonly recognized?: Omit<Recognized, 'type' | 'at' | 'page'> | undefined;
}

export type MadeFile = Pick<Assembled, 'bytes' | 'sha256' | 'page_count'>;

export interface RecordedDocument extends PlannedDocument {
  /** Undefined before assembly. */
  readonly file: MadeFile | undefined;
  /** Checksums of earlier versions of the document, which a destination may have. */
  readonly earlier_sha256?: readonly string[];
  /** By destination identity. A destination without an entry never got the document. */
  readonly uploads: Readonly<Record<string, RecordedUpload>>;
}

export interface RecordedUpload {
  /** True if an upload has begun and its end is not recorded. */
  readonly isOpen: boolean;
  /** The outcome of the last completed upload. */
  readonly last: Delivery | undefined;
  readonly tasks: readonly string[];
}

/** The outcome of an upload that began but did not end before the service stopped. */
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
