/** The parts of the service's responses that the page uses. See service/openapi.yaml. */

import type { ProfileKind, ScanSettings } from './button-types.d.ts';

export type * from './button-types.d.ts';

export interface ErrorBody {
  error: string;
  message: string;
  scan_id?: string;
  /** Id of the scan that is using the scanner. */
  busy_with?: string;
  fields?: { field: string; expected: string; value?: unknown; near?: string[] }[];
  /** Only with `sheet_count_mismatch`. */
  fronts?: number;
  backs?: number;
  /** Only with `insufficient_storage`. */
  free_bytes?: number;
  needed_bytes?: number;
  /** Only with `scan_option_rejected`. */
  option?: string;
  value?: unknown;
}

/** The values in a message of the service. `pages` is a number only in `odd_sides`. */
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
  where?: string;
  dpi?: number;
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

/** The code and values of a message; null if another version wrote it. */
export type Said = { code: string; facts: Facts } | null;

export interface DestinationEntry {
  status: 'submitted' | 'failed';
  error?: string;
}

export interface DocumentBody {
  filename: string;
  pages: number[];
  /** Of the PDF: both sides of a card are on one page. */
  page_count: number;
  title: string;
  destinations: DestinationEntry[];
  outcomes: ('accepted' | 'refused' | 'unknown')[];
  causes: Said[];
}

export interface PageState {
  page: number;
  side: 'front' | 'back';
  /** Degrees of automatic rotation; null until the page is recognized. */
  turned: number | null;
  dropped: DroppedPage['reason'] | null;
  left_out: boolean;
  /** Rotation by a person, in degrees clockwise. */
  turn: number;
  starts_document: boolean;
  /** A person's crop. */
  crop: Crop | null;
  /** The detected paper. */
  proposed_crop: Crop | null;
  /** The page that this page was scanned to replace. */
  replaces: number | null;
  /** The page that replaced this one. */
  replaced_by: number | null;
}

/** A rectangle in fractions of the displayed page, rotated about its centre; angle in degrees. */
export interface Crop {
  x: number;
  y: number;
  width: number;
  height: number;
  angle: number;
}

/** A page as shown: turned, then cut to its crop. */
export interface ShownPage {
  page: number;
  /** Degrees clockwise: 0, 90, 180 or 270. */
  turned: number;
  crop: Crop | null;
}

/** Body of PATCH /scans/{scan_id}/pages/{page}. */
export interface PageEdit {
  left_out?: boolean;
  turn?: number;
  before?: number | null;
  starts_document?: boolean;
  crop?: Crop | null;
  /** Restores a replaced page. */
  restored?: true;
}

/** The inverse of an edit. */
export interface Undo {
  page: number;
  edit: PageEdit;
}

/** `undos` undo the edits that were made, `redos` the undoing. Oldest first. */
export interface EditHistory {
  readonly undos: Undo[];
  readonly redos: Undo[];
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

/** Body of GET /scans/{scan_id}: the parts that the `view` of its events keeps up to date. */
export interface ScanDetails {
  scan_id: string;
  profile: string;
  state: ScanState;
  stage: 'scan' | 'process' | 'deliver';
  /** Indexes of the current upload, from 0. */
  upload: { document: number; destination: number } | null;
  page_states: PageState[];
  documents: DocumentBody[];
  warnings: string[];
  warning_details: Said[];
  /** What started the scan at the scanner. */
  trigger: { paper?: true; button?: string } | null;
  kind: ProfileKind;
  /** Settings of the request that differ from the profile's. */
  asked_settings?: Partial<ScanSettings>;
  /** True if the scan waits for a person before filing. */
  hold: boolean;
  /** True if the scan waits, or waited, for a person before filing. */
  has_waited: boolean;
  /** The displayed name: its title, or else its first line of text. */
  title: string | null;
  error: ErrorBody | null;
  /** Addresses of the destinations; missing in events. */
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
  /** Null if it has no page, and for scans of earlier versions. */
  first_page: ShownPage | null;
  error: ErrorBody | null;
}

export interface SelfTestCheck {
  id: string;
  subject: string;
  status: 'ok' | 'warn' | 'fail' | 'skipped' | 'unknown';
  message: string;
  remedy?: string | null;
}

/** Status 0: the service did not answer. */
export interface Answer<Body> {
  status: number;
  body: Body;
}

/** A scan request, kept so that it can be repeated. */
export interface ScanRequest {
  path: string;
  body: Record<string, unknown>;
  /** Undefined if the profile decides. */
  isFromGlass?: boolean;
  /** Idempotency key of the press: the service scans only once for it. */
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
  /** Settings of the request that differ from the profile's. */
  asked: Partial<ScanSettings>;
  hold: boolean;
  hasWaited: boolean;
  title: string | null;
  /** Page numbers in displayed order, without replaced pages. */
  pages: number[];
  /** The recognized pages. */
  read: number[];
  /** Rotation by page number: 0, 90, 180 or 270 degrees. */
  turned: Record<number, number>;
  dropped: DroppedPage[];
  /** A person's edits of each page, in displayed order. */
  edits: {
    page: number;
    leftOut: boolean;
    turn: number;
    starts: boolean;
    crop: Crop | null;
    proposed: Crop | null;
    /** The page that can take this page's place again: the one it replaced, or its replacement. */
    other: number | undefined;
  }[];
  /** The replacement of each replaced page. */
  replaced: Record<number, number>;
  documents: DocumentView[];
  warnings: { text: string; said: Said }[];
  /** Page counts by side. A replaced back does not count. */
  sides: { fronts: number; backs: number };
  error: ErrorBody | null;
}

export interface DocumentView {
  filename: string;
  pages: number[];
  pageCount: number;
  title: string;
  deliveries: {
    state: 'sending' | 'accepted' | 'refused' | 'unknown';
    error: string;
    cause: Said;
    /** Address of the destination for browsers. */
    address: string | null;
  }[];
}
