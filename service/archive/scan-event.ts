import type { FailureCode } from '../../helpers/failure.ts';
import type { PageFacts } from '../../helpers/page-facts.ts';
import type { PageOptions } from '../../helpers/processor-contract.ts';
import type { Delivery, DestinationEntry, DocumentMetadata } from '../paperless/destination.ts';
import type { Profile } from '../profiles/profile.ts';
import type { ScanSettings } from '../profiles/scan-settings.ts';
import type { Trigger } from '../profiles/trigger.ts';

/**
 * A scan is a list of events: one line each in `events.jsonl` of its scan directory, appended and synced before anything
 * relies on it. Everything known about a scan is the fold of its events (fold.ts), and whoever wants to follow a scan
 * listens to them. Numbers of documents and destinations are positions, from 0; numbers of pages and sheets begin with 1.
 */
export type ScanEvent =
  | Begun
  | Resumed
  | PageScanned
  | Fed
  | SidesDiffer
  | Recognized
  | PageEdited
  | Discarded
  | DocumentsPlanned
  | Assembled
  | UploadBegun
  | UploadEnded
  | Ended;

export type ScanEventType = ScanEvent['type'];

/** An event as the stages give it; the time is added when it is appended. */
export type NewScanEvent = ScanEvent extends infer Event
  ? Event extends ScanEvent
    ? Omit<Event, 'at'>
    : never
  : never;

/** Version of the form of `events.jsonl`. Readers ignore types and fields of events that they do not know. */
export const EVENT_FORMAT = 1;

/** The stages of a scan as callers see them, in their order. */
export const STAGES = ['scan', 'process', 'deliver'] as const;

export type Stage = (typeof STAGES)[number];

export type StageTimings = Readonly<Partial<Record<Stage, number>>>;

interface Timed {
  /** ISO 8601, UTC. */
  readonly at: string;
}

/** What makes two calls the same call, as hashes in hexadecimal. */
export interface CallIdentity {
  /** Of the caller's Idempotency-Key. */
  readonly key: string;
  /** Of what was asked for. */
  readonly asked: string;
}

/** A call that an event begins. */
export interface BegunCall extends CallIdentity {
  /** Number of the last page before those that the call feeds. */
  readonly last_page: number;
}

/** The first event of every scan. With it the scan can be resumed, whatever changes in the profile. */
export interface Begun extends Timed {
  readonly type: 'begun';
  readonly format: typeof EVENT_FORMAT;
  readonly scan_id: string;
  readonly profile: string;
  readonly request: DocumentMetadata;
  /** The profile, with the chosen settings in place of its own. */
  readonly settings: Profile;
  /** What the caller chose for this scan; missing where nothing was. */
  readonly asked_settings?: ScanSettings;
  /** The call feeds and recognises only; missing in what older versions wrote. */
  readonly hold?: boolean;
  /** What at the scanner began it; missing where a request did. */
  readonly trigger?: Trigger;
  /** What was known before paper moved, such as a destination that does not work. */
  readonly warnings?: readonly string[];
  /** Missing where the caller sent no key. */
  readonly call?: BegunCall | undefined;
}

/** Another call took the scan up. What it replaced is given; the rest stays as it was. */
export interface Resumed extends Timed {
  readonly type: 'resumed';
  /** The stage that the call begins with. */
  readonly stage: Stage;
  /** Recorded pages that are no longer on disk, or not whole. */
  readonly lost_pages: readonly number[];
  readonly warnings: readonly string[];
  readonly request?: DocumentMetadata;
  readonly settings?: Profile;
  readonly hold?: boolean;
  /** The call feeds the second sides of the sheets (manual duplex). */
  readonly side?: 'backs';
  /** Missing where the caller sent no key. */
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
  /** The scanner's driver cut the page to the paper. */
  readonly cropped?: boolean | undefined;
}

/** The feeder has stopped, and the scanner is free. */
export interface Fed extends Timed {
  readonly type: 'fed';
  /** False when something stopped the feeder before it was empty. */
  readonly complete: boolean;
  readonly duplex: boolean;
  /** False when no sheet has moved, as with a scanner that is off. */
  readonly moved?: false;
  readonly warnings: readonly string[];
}

/** The backs that were fed after their fronts differ from them in number. Nothing is assembled until a person decides. */
export interface SidesDiffer extends Timed {
  readonly type: 'sides_differ';
  readonly fronts: number;
  readonly backs: number;
}

/** A page went through OCR: `recognized/` has its one-page searchable PDF, unless the processor left it out. */
export interface Recognized extends Timed {
  readonly type: 'recognized';
  readonly page: number;
  readonly facts: PageFacts;
  readonly warnings: readonly string[];
  /** What was asked for; events of earlier versions lack it. */
  readonly options?: PageOptions | undefined;
  /** The raw page that was recognised, so that another one that takes its name later is not mistaken for it. */
  readonly raw: PageStamp;
}

export interface PageStamp {
  readonly bytes: number;
  /** Milliseconds since 1970. */
  readonly modified_at: number;
}

/**
 * Which pages make which document, and which make none. Another one replaces it, as long as no upload has begun. Without
 * documents the call ends with `only_blank_pages`.
 */
export interface DocumentsPlanned extends Timed {
  readonly type: 'documents';
  readonly documents: readonly PlannedDocument[];
  readonly dropped_pages: readonly DroppedPage[];
  readonly warnings: readonly string[];
}

export interface PlannedDocument {
  readonly filename: string;
  /** Numbers of its pages, in the order of reading. */
  readonly pages: readonly number[];
  readonly title: string;
  /** What codes on the paper say about it. */
  readonly metadata: DocumentMetadata;
}

/** A page that is in no document. Its raw page stays. */
export interface DroppedPage {
  readonly page: number;
  /** `replaced`: a back that was fed again. `person`: somebody left it out. */
  readonly reason: 'blank' | 'separator' | 'replaced' | 'person';
  /** Of a blank page: how far from blank it is; below 1. */
  readonly score?: number | undefined;
}

/** Clockwise, in degrees. */
export type QuarterTurn = 0 | 90 | 180 | 270;

/** What a person wants of a page, before it is filed; what is missing stays as it is. */
export interface PageEdit {
  /** The page goes into no document. */
  readonly left_out?: boolean | undefined;
  /** Degrees from how the page stands without it; 0 for none. */
  readonly turn?: QuarterTurn | undefined;
  /** Number of the page that it is moved before; null for the end. */
  readonly before?: number | null | undefined;
  /** A document begins with the page. */
  readonly starts_document?: boolean | undefined;
}

/** A person edited a page of a scan of which nothing is filed. A plan of documents from before is void. */
export interface PageEdited extends Timed, PageEdit {
  readonly type: 'edited';
  readonly page: number;
}

/** A person decided that the scan is not to be filed, or took that back. */
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
  readonly warnings: readonly string[];
}

/** From now on the destination may have received something. Without its end, nothing is known about the upload. */
export interface UploadBegun extends Timed {
  readonly type: 'upload_begun';
  readonly document: number;
  readonly destination: number;
  /** As it is sent. */
  readonly title: string;
  /** What of the codes on the paper is not sent, and why. */
  readonly warnings?: readonly string[];
}

export interface UploadEnded extends Timed {
  readonly type: 'upload_ended';
  readonly document: number;
  readonly destination: number;
  readonly entry: DestinationEntry;
  readonly outcome: Delivery['outcome'];
  /** Why it was not sent again, where a person had asked for that. */
  readonly warnings?: readonly string[];
}

/** The call has ended, well or not. With it lists show the scan without reading the events before it. */
export interface Ended extends Timed {
  readonly type: 'ended';
  readonly profile: string;
  readonly started_at: string;
  readonly state: 'finished' | 'held' | 'failed';
  readonly error: { readonly error: FailureCode; readonly message: string } | null;
  readonly page_count: number;
  /** See `ScanView`. Missing in older files. */
  readonly kept_page_count?: number;
  readonly document_count: number;
  /** Deliveries that were refused, or whose outcome is unknown. Missing in older files. */
  readonly failed_deliveries?: number;
  /** What a person would call the scan; see `nameOf`. Missing in older files. */
  readonly title?: string | null;
  /** Of the whole call. */
  readonly duration_ms: number;
  /** Of the stages that the call went through. */
  readonly timings_ms: StageTimings;
}
