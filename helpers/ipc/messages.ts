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

/** The capabilities of one source, in the scanner's spelling. `sources` lists all of them. */
export interface DeviceDescription {
  readonly device: string;
  readonly sources: readonly string[];
  /** The source described here; undefined if the scanner has no such option. */
  readonly source?: string | undefined;
  readonly feeder: boolean;
  readonly sides: readonly Sides[];
  readonly modes: readonly string[];
  /** A list of values or a range, in dpi. */
  readonly resolutions: readonly number[] | { readonly min: number; readonly max: number };
  /** Largest page in mm; undefined if the scanner has no page size. */
  readonly max_page?: PageSize | undefined;
  /** The driver's scan area is too small for any page. */
  readonly area_unusable?: boolean | undefined;
  /** All options that are active and can be set, without dashes. */
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
  /** Exactly as the scanner spells it. Default: the scanner's own. */
  readonly source?: string | undefined;
  /** If missing, the source and the options decide. */
  readonly sides?: Sides | undefined;
  readonly mode: string;
  readonly resolution: number;
  /** `auto` is the scanner's largest page, cropped to the paper by the driver if supported. */
  readonly page_size: PageSize | 'auto';
  readonly max_pages: number;
  /** Further SANE options, verbatim, without dashes. */
  readonly scanner_options: Readonly<Record<string, string | number | boolean>>;
  /** Absolute path of an existing directory that the runtime can write to. */
  readonly directory: string;
  /** 1, or the next number of a resumed scan. Unlike sheet numbers, they have no gaps. */
  readonly first_page: number;
  /** 1, or the next number when a scan is resumed. */
  readonly first_sheet: number;
}

/** The settings a scan would use, determined without feeding paper. */
export interface CheckedScan {
  readonly device: string;
  /** The scanner reports an open cover. Most scanners report nothing. */
  readonly cover_open?: boolean | undefined;
  /** Set if the scan area ends some millimetres before the paper. */
  readonly page_size?: PageSize | undefined;
  readonly area_unusable?: boolean | undefined;
}

export interface SensorsRequest {
  readonly device: string;
}

export interface SensorReading {
  readonly device: string;
  /** Network address, if the status is read over the network. The same for all names. */
  readonly address?: string | undefined;
  /** True if the feeder has paper. Undefined if not reported, as while busy or jammed. */
  readonly paper?: boolean | undefined;
  /** Buttons and other sensors by name: true if pressed or active. */
  readonly sensors: Readonly<Record<string, boolean>>;
  readonly function?: number | undefined;
  /** Scans since the runtime started. If it differs between readings, paper may have moved. */
  readonly scans: number;
}

/** A request adapted to its device; see fit-request.ts. */
export type DeviceRequest = ScanRequest & {
  readonly page_size: PageSize;
  /** The requested paper size, if the scan area ends some millimetres before it. */
  readonly paper?: PageSize | undefined;
  /** The driver's scan area is too small for any page, so the page size cannot be set. */
  readonly area_unusable?: boolean | undefined;
};

/** A page that is complete, checked and synced to disk. */
export interface ScannedPage {
  readonly number: number;
  /** In duplex, two pages share a sheet. Otherwise every page is the front of its own sheet. */
  readonly sheet: number;
  readonly side: 'front' | 'back';
  /** `page-0001.tif`, relative to the request's directory. */
  readonly filename: string;
  readonly bytes: number;
  readonly width_px: number;
  readonly height_px: number;
  readonly dpi: number;
  /** The scan requested cropping by the driver. */
  readonly cropped: boolean;
}

export interface FedStack {
  readonly device: string;
  /** True if the source scans both sides, by its name or by a separate option. */
  readonly duplex: boolean;
  readonly page_count: number;
  readonly warnings: readonly string[];
}

export interface RunningScan {
  readonly directory: string;
  readonly asked: string;
  /** The SANE name; null while the device is being searched for. */
  readonly device: string | null;
}

/** Always includes `page_count` and `warnings`, plus `device` and `duplex` if known. */
export interface FailureMessage {
  readonly code: FailureCode;
  readonly what: string;
  readonly remedy?: string | undefined;
  readonly facts: FailureFacts;
}

/** Why a request is stopped early; the abort reason passed to the runtime's handlers. */
export type StopReason = 'cancelled' | 'connection_lost' | 'shutting_down';
