import type { FailureCode } from '../../helpers/failure.ts';
import type { Crop, QuarterTurn } from '../../helpers/page-crop.ts';
import type { PageFacts } from '../../helpers/page-facts.ts';
import type { PageOptions } from '../../helpers/processor-contract.ts';
import type { Delivery, DestinationEntry, DocumentMetadata } from '../paperless/destination.ts';
import type { Profile } from '../profiles/profile.ts';
import type { PageSettings, ScanSettings } from '../profiles/scan-settings.ts';
import type { Trigger } from '../profiles/trigger.ts';

/**
 * The events of a scan, one per line of its `events.jsonl`. Each is synced before anything relies
 * on it. fold.ts computes the state of the scan from them. Documents and destinations are counted
 * from 0, pages and sheets from 1.
 */
export type ScanEvent =
  | Begun
  | Resumed
  | PageScanned
  | Fed
  | SidesDiffer
  | Recognized
  | PageEdited
  | PageReplaced
  | Discarded
  | DocumentsPlanned
  | Assembled
  | UploadBegun
  | UploadEnded
  | Ended;

export type ScanEventType = ScanEvent['type'];

/** An event before `append` adds the time. */
export type NewScanEvent = ScanEvent extends infer Event
  ? Event extends ScanEvent
    ? Omit<Event, 'at'>
    : never
  : never;

/** Readers ignore events and fields that they do not know. */
export const EVENT_FORMAT = 1;

export const STAGES = ['scan', 'process', 'deliver'] as const;

export type Stage = (typeof STAGES)[number];

export type StageTimings = Readonly<Partial<Record<Stage, number>>>;

interface Timed {
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** SHA-256 hashes for recognizing a repeated call. */
export interface CallIdentity {
  readonly key: string;
  readonly asked: string;
}

export interface BegunCall extends CallIdentity {
  /** Highest page number before the call. */
  readonly last_page: number;
}

/** The first event. Its settings stay valid if the profile changes. */
export interface Begun extends Timed {
  readonly type: 'begun';
  readonly format: typeof EVENT_FORMAT;
  readonly scan_id: string;
  readonly profile: string;
  readonly request: DocumentMetadata;
  /** The profile's settings, changed by `asked_settings`. */
  readonly settings: Profile;
  readonly asked_settings?: ScanSettings;
  /** The scan stops after recognition and waits for a person. Not set by older versions. */
  readonly hold?: boolean;
  /** The button or sensor that started the scan. Not set for an API request. */
  readonly trigger?: Trigger;
  /** Warnings of the checks before feeding. */
  readonly warnings?: readonly string[];
  readonly call?: BegunCall | undefined;
}

/** A later call on the scan. Only changed values are set. */
export interface Resumed extends Timed {
  readonly type: 'resumed';
  readonly stage: Stage;
  /** Recorded pages that are missing or incomplete on disk. */
  readonly lost_pages: readonly number[];
  readonly warnings: readonly string[];
  readonly request?: DocumentMetadata;
  readonly settings?: Profile;
  readonly hold?: boolean;
  /** The call feeds the backs of the sheets (manual duplex). */
  readonly side?: 'backs';
  readonly replaces?: number;
  readonly page_settings?: PageSettings;
  readonly call?: BegunCall | undefined;
}

/** A page is complete and synced. */
export interface PageScanned extends Timed {
  readonly type: 'page';
  readonly number: number;
  readonly sheet: number;
  readonly side: 'front' | 'back';
  readonly filename: string;
  readonly bytes: number;
  /** The driver cropped the page to the paper. */
  readonly cropped?: boolean | undefined;
  /** The page to replace. The new page is not used until an event `replaced`. */
  readonly instead_of?: number | undefined;
}

/** The feeder has stopped, and the scanner is free. */
export interface Fed extends Timed {
  readonly type: 'fed';
  /** False if the feeder stopped early. */
  readonly complete: boolean;
  readonly duplex: boolean;
  /** False if no sheet moved, for example if the scanner is off. */
  readonly moved?: false;
  /** The scanner's name in SANE. Not set if the feeder stopped early. */
  readonly device?: string;
  readonly warnings: readonly string[];
}

/** Fronts and backs differ in number. The scan waits for a person's decision. */
export interface SidesDiffer extends Timed {
  readonly type: 'sides_differ';
  readonly fronts: number;
  readonly backs: number;
}

/** The page has a PDF in `recognized/`, unless the processor left it out (blank or separator). */
export interface Recognized extends Timed {
  readonly type: 'recognized';
  readonly page: number;
  readonly facts: PageFacts;
  readonly warnings: readonly string[];
  /** Not set by older versions. */
  readonly options?: PageOptions | undefined;
  /** Size and time of the raw page when it was recognized, to notice a changed file. */
  readonly raw: PageStamp;
  /** Not set for a dropped page, or by older versions. */
  readonly pdf?: Pick<Assembled, 'bytes' | 'sha256'> | undefined;
}

export interface PageStamp {
  readonly bytes: number;
  readonly modified_at: number;
}

/**
 * A new plan may replace this one until an upload begins. Without documents, the call fails with
 * `only_blank_pages`.
 */
export interface DocumentsPlanned extends Timed {
  readonly type: 'documents';
  readonly documents: readonly PlannedDocument[];
  readonly dropped_pages: readonly DroppedPage[];
  readonly warnings: readonly string[];
}

export interface PlannedDocument {
  readonly filename: string;
  /** In reading order. */
  readonly pages: readonly number[];
  readonly title: string;
  /** Read from codes on the paper. */
  readonly metadata: DocumentMetadata;
}

/** A page that is in no document. Its file stays on disk. */
export interface DroppedPage {
  readonly page: number;
  /** `replaced`: the page was scanned or fed again. `person`: a person left it out. */
  readonly reason: 'blank' | 'separator' | 'replaced' | 'person';
  /** Set only for blank pages, whose score is below 1. Lower is blanker. */
  readonly score?: number | undefined;
}

/** A person's edit before filing. Fields that are not set stay unchanged. */
export interface PageEdit {
  readonly left_out?: boolean | undefined;
  /** In degrees, clockwise from the unedited orientation. */
  readonly turn?: QuarterTurn | undefined;
  /** Moves the page in front of this one, or with null to the end. */
  readonly before?: number | null | undefined;
  readonly starts_document?: boolean | undefined;
  /** Coordinates on the page as displayed after `turn`; null removes the crop. */
  readonly crop?: Crop | null | undefined;
}

/** A person edited a page, so documents must be planned again. */
export interface PageEdited extends Timed, PageEdit {
  readonly type: 'edited';
  readonly page: number;
  /** Coordinates on the raw page, so that the crop turns with the page. */
  readonly crop?: Crop | null | undefined;
}

/** Page `by` takes the place of `page`. */
export interface PageReplaced extends Timed {
  readonly type: 'replaced';
  readonly page: number;
  readonly by: number;
}

export interface Discarded extends Timed {
  readonly type: 'discarded';
  readonly discarded: boolean;
}

/** A document is complete and synced. */
export interface Assembled extends Timed {
  readonly type: 'assembled';
  readonly document: number;
  readonly bytes: number;
  readonly sha256: string;
  /** Number of pages in the PDF. Set only for a card, which has both sides on one page. */
  readonly page_count?: number | undefined;
  readonly warnings: readonly string[];
}

/**
 * From now on, the destination may have the document. Without an `upload_ended`, the outcome is
 * unknown.
 */
export interface UploadBegun extends Timed {
  readonly type: 'upload_begun';
  readonly document: number;
  readonly destination: number;
  readonly title: string;
  readonly warnings?: readonly string[];
}

export interface UploadEnded extends Timed {
  readonly type: 'upload_ended';
  readonly document: number;
  readonly destination: number;
  readonly entry: DestinationEntry;
  readonly outcome: Delivery['outcome'];
  /** Why the document was not sent again, although a person asked for it. */
  readonly warnings?: readonly string[];
}

/** A page as displayed: turned, then cropped. */
export interface ShownPage {
  readonly page: number;
  readonly turned: QuarterTurn;
  /** In coordinates of the turned page. */
  readonly crop: Crop | null;
}

/** A call has ended. Contains everything that a list of scans shows. */
export interface Ended extends Timed {
  readonly type: 'ended';
  readonly profile: string;
  readonly started_at: string;
  readonly state: 'finished' | 'held' | 'failed';
  readonly error: { readonly error: FailureCode; readonly message: string } | null;
  readonly page_count: number;
  /** Not set by older versions. */
  readonly kept_page_count?: number;
  readonly document_count: number;
  /** Deliveries that were refused or have an unknown outcome. Not set by older versions. */
  readonly failed_deliveries?: number;
  /** Not set by older versions. */
  readonly title?: string | null;
  /** Not set by older versions. */
  readonly first_page?: ShownPage | null;
  readonly duration_ms: number;
  readonly timings_ms: StageTimings;
}
