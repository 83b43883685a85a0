import type { FailureCode } from '../../helpers/failure.ts';
import type { Crop, QuarterTurn } from '../../helpers/page-crop.ts';
import type { PageFacts } from '../../helpers/page-facts.ts';
import type { PageOptions } from '../../helpers/processor-contract.ts';
import type { Delivery, DestinationEntry, DocumentMetadata } from '../paperless/destination.ts';
import type { Profile } from '../profiles/profile.ts';
import type { PageSettings, ScanSettings } from '../profiles/scan-settings.ts';
import type { Trigger } from '../profiles/trigger.ts';

/**
 * The events of a scan: one line each in `events.jsonl` of its scan directory, appended and synced
 * before anything relies on it. Folding them (fold.ts) gives the whole state of the scan, and
 * listeners receive each of them. Documents and destinations are indexes from 0; pages and sheets
 * are numbered from 1.
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

/** An event from a stage; appending it adds the time. */
export type NewScanEvent = ScanEvent extends infer Event
  ? Event extends ScanEvent
    ? Omit<Event, 'at'>
    : never
  : never;

/** Format version of `events.jsonl`. Readers ignore unknown event types and fields. */
export const EVENT_FORMAT = 1;

export const STAGES = ['scan', 'process', 'deliver'] as const;

export type Stage = (typeof STAGES)[number];

export type StageTimings = Readonly<Partial<Record<Stage, number>>>;

interface Timed {
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** Identifies repetitions of a call, by hashes in hexadecimal. */
export interface CallIdentity {
  /** Hash of the Idempotency-Key. */
  readonly key: string;
  /** Hash of the request. */
  readonly asked: string;
}

export interface BegunCall extends CallIdentity {
  /** Highest page number before the call. */
  readonly last_page: number;
}

/** The first event of a scan, with everything needed to resume even if the profile changes. */
export interface Begun extends Timed {
  readonly type: 'begun';
  readonly format: typeof EVENT_FORMAT;
  readonly scan_id: string;
  readonly profile: string;
  readonly request: DocumentMetadata;
  /** The profile, with `asked_settings` already applied. */
  readonly settings: Profile;
  /** The settings chosen for this scan, if any. */
  readonly asked_settings?: ScanSettings;
  /** The call only feeds and recognises. Not set by older versions. */
  readonly hold?: boolean;
  /** The button or sensor that started the scan; not set for a request. */
  readonly trigger?: Trigger;
  /** Warnings from before paper moved, such as a destination that does not work. */
  readonly warnings?: readonly string[];
  /** Not set if the caller sent no key. */
  readonly call?: BegunCall | undefined;
}

/** A further call on the scan. Contains only the values that it replaces. */
export interface Resumed extends Timed {
  readonly type: 'resumed';
  readonly stage: Stage;
  /** Recorded pages that are missing on disk or incomplete. */
  readonly lost_pages: readonly number[];
  readonly warnings: readonly string[];
  readonly request?: DocumentMetadata;
  readonly settings?: Profile;
  readonly hold?: boolean;
  /** The call feeds the backs of the sheets (manual duplex). */
  readonly side?: 'backs';
  /** The call scans one sheet in place of this page. */
  readonly replaces?: number;
  /** The settings chosen for that sheet. */
  readonly page_settings?: PageSettings;
  /** Not set if the caller sent no key. */
  readonly call?: BegunCall | undefined;
}

/** A page is complete and synced to disk. */
export interface PageScanned extends Timed {
  readonly type: 'page';
  readonly number: number;
  readonly sheet: number;
  readonly side: 'front' | 'back';
  readonly filename: string;
  readonly bytes: number;
  /** The scanner's driver cropped the page to the paper. */
  readonly cropped?: boolean | undefined;
  /** The page was scanned in place of this one, and counts only after `replaced`. */
  readonly instead_of?: number | undefined;
}

/** The feeder has stopped, and the scanner is free. */
export interface Fed extends Timed {
  readonly type: 'fed';
  /** False if the feeder stopped before it was empty. */
  readonly complete: boolean;
  readonly duplex: boolean;
  /** False if no sheet moved, for example because the scanner is off. */
  readonly moved?: false;
  /** SANE's name of the scanner; not set if the feeder stopped early. */
  readonly device?: string;
  readonly warnings: readonly string[];
}

/** The numbers of fronts and backs differ. Nothing is assembled until a person decides. */
export interface SidesDiffer extends Timed {
  readonly type: 'sides_differ';
  readonly fronts: number;
  readonly backs: number;
}

/** A page was recognised. Its PDF is in `recognized/`, unless the processor left it out. */
export interface Recognized extends Timed {
  readonly type: 'recognized';
  readonly page: number;
  readonly facts: PageFacts;
  readonly warnings: readonly string[];
  /** The requested options; not set in events of earlier versions. */
  readonly options?: PageOptions | undefined;
  /** Stamp of the raw page, to detect another page that reuses its file name. */
  readonly raw: PageStamp;
  /** The PDF; missing for a page that was left out, and in events of earlier versions. */
  readonly pdf?: Pick<Assembled, 'bytes' | 'sha256'> | undefined;
}

export interface PageStamp {
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modified_at: number;
}

/**
 * Assigns the pages to documents, or drops them. A later plan replaces it as long as no upload has
 * begun. If there are no documents, the call ends with `only_blank_pages`.
 */
export interface DocumentsPlanned extends Timed {
  readonly type: 'documents';
  readonly documents: readonly PlannedDocument[];
  readonly dropped_pages: readonly DroppedPage[];
  readonly warnings: readonly string[];
}

export interface PlannedDocument {
  readonly filename: string;
  /** Page numbers, in reading order. */
  readonly pages: readonly number[];
  readonly title: string;
  /** Metadata from codes on the paper. */
  readonly metadata: DocumentMetadata;
}

/** A page that is in no document. Its raw page stays. */
export interface DroppedPage {
  readonly page: number;
  /** `replaced`: scanned again, or a back that was fed again. `person`: left out by a person. */
  readonly reason: 'blank' | 'separator' | 'replaced' | 'person';
  /** How far a blank page is from blank; below 1. */
  readonly score?: number | undefined;
}

/** A person's edit of a page before filing. Missing fields do not change. */
export interface PageEdit {
  readonly left_out?: boolean | undefined;
  /** Clockwise from the unedited orientation, in degrees; 0 for none. */
  readonly turn?: QuarterTurn | undefined;
  /** Moves the page before the one with this number; null for the end. */
  readonly before?: number | null | undefined;
  readonly starts_document?: boolean | undefined;
  /** On the page as it is shown after `turn`; null for the whole page. */
  readonly crop?: Crop | null | undefined;
}

/** A person edited a page before filing. Invalidates any earlier plan of documents. */
export interface PageEdited extends Timed, PageEdit {
  readonly type: 'edited';
  readonly page: number;
  /** On the raw page, so that a later turn takes it along. */
  readonly crop?: Crop | null | undefined;
}

/** Page `by` takes the place of another one: a spare that came whole, or a page to bring back. */
export interface PageReplaced extends Timed {
  readonly type: 'replaced';
  readonly page: number;
  readonly by: number;
}

export interface Discarded extends Timed {
  readonly type: 'discarded';
  readonly discarded: boolean;
}

/** A document is complete and synced to disk. */
export interface Assembled extends Timed {
  readonly type: 'assembled';
  readonly document: number;
  readonly bytes: number;
  /** Hexadecimal. */
  readonly sha256: string;
  /** Pages of the PDF, if other than those of the document: a card has its sides on one. */
  readonly page_count?: number | undefined;
  readonly warnings: readonly string[];
}

/** The destination may have received the document. Without an end, the outcome is unknown. */
export interface UploadBegun extends Timed {
  readonly type: 'upload_begun';
  readonly document: number;
  readonly destination: number;
  /** As sent to the destination. */
  readonly title: string;
  readonly warnings?: readonly string[];
}

export interface UploadEnded extends Timed {
  readonly type: 'upload_ended';
  readonly document: number;
  readonly destination: number;
  readonly entry: DestinationEntry;
  readonly outcome: Delivery['outcome'];
  /** Why a document was not resent although a person asked for it. */
  readonly warnings?: readonly string[];
}

/** The call has ended, successfully or not. Lists can show the scan from this event alone. */
export interface Ended extends Timed {
  readonly type: 'ended';
  readonly profile: string;
  readonly started_at: string;
  readonly state: 'finished' | 'held' | 'failed';
  readonly error: { readonly error: FailureCode; readonly message: string } | null;
  readonly page_count: number;
  /** See `ScanView`. Not set in older files. */
  readonly kept_page_count?: number;
  readonly document_count: number;
  /** Deliveries that were refused or whose outcome is unknown. Not set in older files. */
  readonly failed_deliveries?: number;
  /** See `nameOf`. Not set in older files. */
  readonly title?: string | null;
  /** Of the whole call. */
  readonly duration_ms: number;
  /** Of the stages of this call. */
  readonly timings_ms: StageTimings;
}
