import type { FailureCode, FailureFacts } from '../failure.ts';

/** Separate from contract.ts, so that the container's health check loads little. */
export const REQUEST_EVENTS = [
  'health',
  'list_devices',
  'describe_device',
  'check_scan',
  'read_sensors',
  'scan',
  'cancel',
] as const;
export const REPLY_EVENTS = ['accepted', 'page', 'result', 'failed'] as const;

export type RequestEvent = (typeof REQUEST_EVENTS)[number];
export type ReplyEvent = (typeof REPLY_EVENTS)[number];

export interface Device {
  readonly name: string;
  readonly vendor: string;
  readonly model: string;
  readonly type: string;
}

export interface DescribeRequest {
  readonly device: string;
  /** Default: the scanner's current source. */
  readonly source?: string | undefined;
}

/** The capabilities of one source. `sources` lists all of them. */
export interface DeviceDescription {
  readonly device: string;
  readonly sources: readonly string[];
  /** Undefined if the scanner has no source option. */
  readonly source?: string | undefined;
  readonly feeder: boolean;
  readonly sides: readonly Sides[];
  readonly modes: readonly string[];
  readonly resolutions: readonly number[] | { readonly min: number; readonly max: number };
  /** In mm. Undefined if the scanner has no page size. */
  readonly max_page?: PageSize | undefined;
  /** The driver reports a scan area that is too small for any page. */
  readonly area_unusable?: boolean | undefined;
  /** The options that can be set now, without dashes. */
  readonly options: readonly string[];
}

export type Sides = 'one' | 'both';

export interface PageSize {
  readonly width_mm: number;
  readonly height_mm: number;
}

export interface ScanRequest {
  /** `auto`, an exact SANE device name, or part of a vendor or model name. */
  readonly device: string;
  /** The scanner's exact spelling. Default: the scanner's own. */
  readonly source?: string | undefined;
  /** If missing, the source and the options decide. */
  readonly sides?: Sides | undefined;
  readonly mode: string;
  readonly resolution: number;
  /** `auto`: the scanner's largest page, cropped by the driver if it can. */
  readonly page_size: PageSize | 'auto';
  readonly max_pages: number;
  /** Further SANE options, verbatim, without dashes. */
  readonly scanner_options: Readonly<Record<string, string | number | boolean>>;
  /** Absolute path of an existing directory for the pages. */
  readonly directory: string;
  /** 1, or the next number if a scan is continued. Page numbers have no gaps; sheet numbers may. */
  readonly first_page: number;
  /** 1, or the next number if a scan is continued. */
  readonly first_sheet: number;
}

export interface CheckedScan {
  readonly device: string;
  /** Most scanners do not report this. */
  readonly cover_open?: boolean | undefined;
  /** The usable page size, if the scan area ends some millimetres before the paper. */
  readonly page_size?: PageSize | undefined;
  readonly area_unusable?: boolean | undefined;
}

export interface SensorsRequest {
  readonly device: string;
}

export interface SensorReading {
  readonly device: string;
  /** Set if the scanner is queried over the network. The same for all names of a scanner. */
  readonly address?: string | undefined;
  /** Undefined if not reported, as while busy or jammed. */
  readonly paper?: boolean | undefined;
  /** By name: true if pressed or active. */
  readonly sensors: Readonly<Record<string, boolean>>;
  readonly function?: number | undefined;
  /** Counts scans since the runtime started. If it changed, paper may have moved. */
  readonly scans: number;
}

/** A request adapted to its device; see fit-request.ts. */
export type DeviceRequest = ScanRequest & {
  readonly page_size: PageSize;
  /** The requested paper, if the scan area ends some millimetres before it. */
  readonly paper?: PageSize | undefined;
  /** The scan area is too small for any page. */
  readonly area_unusable?: boolean | undefined;
};

/** Complete, checked and synced to disk. */
export interface ScannedPage {
  readonly number: number;
  /** Two pages share a sheet in duplex. */
  readonly sheet: number;
  readonly side: 'front' | 'back';
  /** Such as `page-0001.tif`, relative to the request's directory. */
  readonly filename: string;
  readonly bytes: number;
  readonly width_px: number;
  readonly height_px: number;
  readonly dpi: number;
  /** True if the driver was asked to crop, whether or not it did. */
  readonly cropped: boolean;
}

export interface FedStack {
  readonly device: string;
  readonly duplex: boolean;
  readonly page_count: number;
  readonly warnings: readonly string[];
}

export interface RunningScan {
  readonly directory: string;
  readonly asked: string;
  /** Null while the device is being searched for. */
  readonly device: string | null;
}

/** For a scan, facts are `page_count` and `warnings`, and `device` and `duplex` if known. */
export interface FailureMessage {
  readonly code: FailureCode;
  readonly what: string;
  readonly remedy?: string | undefined;
  readonly facts: FailureFacts;
}

/** The abort reason of a handler's signal. */
export type StopReason = 'cancelled' | 'connection_lost' | 'shutting_down';
