/** The bodies of the service's answers, as far as the page reads them; service/openapi.yaml describes them whole. */

import type { ProfileKind, ScanSettings } from './button-types.d.ts';

export type * from './button-types.d.ts';

export interface ErrorBody {
  error: string;
  message: string;
  scan_id?: string;
  /** Id of the scan that has the scanner. */
  busy_with?: string;
  fields?: { field: string; expected: string; value?: unknown; near?: string[] }[];
  /** Of `sheet_count_mismatch`. */
  fronts?: number;
  backs?: number;
  /** Of `insufficient_storage`. */
  free_bytes?: number;
  needed_bytes?: number;
  /** Of `scan_option_rejected`. */
  option?: string;
  value?: unknown;
}

/** What is in a sentence of the service, as far as the page says it; odd_sides alone gives `pages` as a number. */
export interface Facts {
  document?: string;
  expected?: string;
  file?: string;
  filename?: string;
  fronts?: string;
  backs?: string;
  kind?: string;
  megabytes?: string;
  name?: string;
  near?: string;
  pages?: string | number;
  paper?: string;
  places?: string;
  said?: string;
  size?: string;
  system?: string;
  systems?: string;
  text?: string;
  title?: string;
  count?: number;
  id?: number;
  images?: number;
  max_pages?: number;
  number?: number;
  page?: number;
  sheets?: number;
}

/** What a sentence of the service says; null for one that another version worded. */
export type Said = { code: string; facts: Facts } | null;

export interface DestinationEntry {
  status: 'submitted' | 'failed';
  error?: string;
}

export interface DocumentBody {
  filename: string;
  pages: number[];
  title: string;
  destinations: DestinationEntry[];
  outcomes: ('accepted' | 'refused' | 'unknown')[];
  causes: Said[];
}

export interface PageState {
  page: number;
  side: 'front' | 'back';
  /** Null until its text is read. */
  turned: number | null;
  dropped: DroppedPage['reason'] | null;
  left_out: boolean;
  /** Degrees clockwise that a person turned it by. */
  turn: number;
  starts_document: boolean;
  /** What a person cropped it to. */
  crop: Crop | null;
  /** Where the paper was found. */
  proposed_crop: Crop | null;
  /** The page that it was scanned again for. */
  replaces: number | null;
  /** The page in its place, if it was scanned again. */
  replaced_by: number | null;
}

/** A rectangle in fractions of the page as shown, turned about its middle by an angle in degrees. */
export interface Crop {
  x: number;
  y: number;
  width: number;
  height: number;
  angle: number;
}

/** Body of PATCH /scans/{scan_id}/pages/{page}. */
export interface PageEdit {
  left_out?: boolean;
  turn?: number;
  before?: number | null;
  starts_document?: boolean;
  crop?: Crop | null;
  /** Puts a page that was scanned again back in its place. */
  restored?: true;
}

/** An edit that takes an earlier one back. */
export interface Undo {
  page: number;
  edit: PageEdit;
}

export interface DroppedPage {
  page: number;
  reason: 'blank' | 'separator' | 'replaced' | 'person';
}

export type ScanState =
  | 'scanning'
  | 'processing'
  | 'delivering'
  | 'held'
  | 'finished'
  | 'failed'
  | 'interrupted'
  | 'discarded'
  | 'unreadable';

/** Body of GET /scans/{scan_id}, as far as the `view` of each event of the scan keeps it up to date. */
export interface ScanDetails {
  scan_id: string;
  profile: string;
  state: ScanState;
  stage: 'scan' | 'process' | 'deliver';
  /** The upload under way, by positions from 0. */
  upload: { document: number; destination: number } | null;
  page_states: PageState[];
  documents: DocumentBody[];
  warnings: string[];
  warning_details: Said[];
  /** What at the scanner began it. */
  trigger: { paper?: true; button?: string } | null;
  kind: ProfileKind;
  /** What the request chose in place of the profile. */
  asked_settings?: Partial<ScanSettings>;
  /** Whether it waits for somebody before it is filed. */
  hold: boolean;
  /** Whether it does, or did before it was filed. */
  has_waited: boolean;
  /** What people call it: its title, else its first line. */
  title: string | null;
  error: ErrorBody | null;
  /** Of each destination; missing in the events of a scan. */
  public_urls?: (string | null)[];
}

/** An entry of GET /scans. */
export interface ScanSummary {
  scan_id: string;
  state: ScanState;
  profile: string | null;
  started_at: string | null;
  page_count: number | null;
  /** Null for scans of earlier versions. */
  kept_page_count: number | null;
  document_count: number | null;
  failed_deliveries: number | null;
  title: string | null;
  error: ErrorBody | null;
}

export interface SelfTestCheck {
  id: string;
  subject: string;
  status: 'ok' | 'warn' | 'fail' | 'skipped' | 'unknown';
  message: string;
  remedy?: string | null;
}

/** What a call was answered; status 0 where no answer came. */
export interface Answer<Body> {
  status: number;
  body: Body;
}

/** A request of the page for a scan, to be made again as it was. */
export interface ScanRequest {
  path: string;
  body: Record<string, unknown>;
  /** Of the press: the service scans once for it, however often it is asked. */
  key?: string;
}

/** A scan as the page shows it. */
export interface ScanView {
  scan_id: string;
  profile: string;
  state: ScanState;
  stage: 'scan' | 'process' | 'deliver';
  trigger: ScanDetails['trigger'];
  kind: ProfileKind;
  /** What the request chose in place of the profile. */
  asked: Partial<ScanSettings>;
  hold: boolean;
  hasWaited: boolean;
  title: string | null;
  /** Numbers of its pages, in their order, without those that were scanned again. */
  pages: number[];
  /** Of these, the ones whose text is read. */
  read: number[];
  /** Degrees that a page was turned by, in quarters. */
  turned: Record<number, number>;
  dropped: DroppedPage[];
  /** What a person decided about each page, in their order. */
  edits: {
    page: number;
    leftOut: boolean;
    turn: number;
    starts: boolean;
    crop: Crop | null;
    proposed: Crop | null;
    /** A page that can take its place: the one that it replaced, or that had replaced it. */
    other: number | undefined;
  }[];
  /** The pages in place of those that were scanned again. */
  replaced: Record<number, number>;
  documents: DocumentView[];
  warnings: { text: string; said: Said }[];
  /** How many of its pages are which side; backs that were scanned again count once. */
  sides: { fronts: number; backs: number };
  error: ErrorBody | null;
}

export interface DocumentView {
  filename: string;
  pages: number[];
  title: string;
  deliveries: {
    state: 'sending' | 'accepted' | 'refused' | 'unknown';
    error: string;
    cause: Said;
    /** Where a browser finds the destination. */
    address: string | null;
  }[];
}
