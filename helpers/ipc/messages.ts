import type { FailureCode, FailureFacts } from '../failure.ts';

/** The frames of contract.ts; apart from it, as the health check of the container loads little. */
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

/** A scanner as SANE lists it. */
export interface Device {
  readonly name: string;
  readonly vendor: string;
  readonly model: string;
  readonly type: string;
}

export interface DescribeRequest {
  /** As in `ScanRequest`. */
  readonly device: string;
  /** Left out, the source that the scanner starts with. */
  readonly source?: string | undefined;
}

/** What a scanner offers for one source; `sources` are all of them. Values are the scanner's own spelling. */
export interface DeviceDescription {
  readonly device: string;
  readonly sources: readonly string[];
  /** The source that modes, resolutions and the largest page are for; undefined where the scanner has no choice. */
  readonly source?: string | undefined;
  /** Whether the source takes sheet after sheet. */
  readonly feeder: boolean;
  /** The sides that a scan from this source can take. */
  readonly sides: readonly Sides[];
  readonly modes: readonly string[];
  /** Either a list of values or a range, in dpi. */
  readonly resolutions: readonly number[] | { readonly min: number; readonly max: number };
  /** Largest page in mm; undefined where the scanner takes no page size. */
  readonly max_page?: PageSize | undefined;
  /** The driver lists an area that no page fits into. */
  readonly area_unusable?: boolean | undefined;
  /** Names of every option that is there, active and can be set, without dashes. */
  readonly options: readonly string[];
}

/** Which sides of each sheet a scan takes. */
export type Sides = 'one' | 'both';

export interface PageSize {
  readonly width_mm: number;
  readonly height_mm: number;
}

export interface ScanRequest {
  /** `auto`, an exact SANE device name, or part of a vendor or model name. */
  readonly device: string;
  /** Exactly as the scanner spells it; left out, the scanner's own default. */
  readonly source?: string | undefined;
  /** Left out, the source and the options decide. */
  readonly sides?: Sides | undefined;
  readonly mode: string;
  /** In dpi. */
  readonly resolution: number;
  /** `auto` is the largest page that the scanner has, cut to the paper by its driver where that can. */
  readonly page_size: PageSize | 'auto';
  readonly max_pages: number;
  /** Further SANE options, verbatim, without dashes. */
  readonly scanner_options: Readonly<Record<string, string | number | boolean>>;
  /** Absolute path of an existing directory that the runtime can write to. */
  readonly directory: string;
  /** Number of the first page: 1, or the number to go on with. Page numbers have no gaps, whatever sheets do. */
  readonly first_page: number;
  /** Number of the first sheet: 1, or the number to go on with. */
  readonly first_sheet: number;
}

/** What a scan would use, found without feeding paper. */
export interface CheckedScan {
  readonly device: string;
  /** It says that its cover is open; most say nothing. */
  readonly cover_open?: boolean | undefined;
  /** Of a page, where the scanner's area ends some millimetres before the paper. */
  readonly page_size?: PageSize | undefined;
  /** As in `DeviceDescription`. */
  readonly area_unusable?: boolean | undefined;
}

export interface SensorsRequest {
  /** As in `ScanRequest`. */
  readonly device: string;
}

/** What a scanner reports without being asked to scan. */
export interface SensorReading {
  /** Its own name. */
  readonly device: string;
  /** Where it is on the network, if it is asked there: the same whichever name led to it. */
  readonly address?: string | undefined;
  /** Whether paper lies in its feeder; undefined where it does not say, as while it is busy, jammed or open. */
  readonly paper?: boolean | undefined;
  /** Its buttons and other sensors, by their names: whether they are pressed, or report something. */
  readonly sensors: Readonly<Record<string, boolean>>;
  /** The function number that is chosen on it. */
  readonly function?: number | undefined;
  /** Scans that it was used for since the runtime started: if two readings differ, paper may have moved between them. */
  readonly scans: number;
}

/** A request with the settings that its device has: see fit-request.ts. */
export type DeviceRequest = ScanRequest & {
  readonly page_size: PageSize;
  /** The paper that was asked for, where the scanner's area ends some millimetres before it. */
  readonly paper?: PageSize | undefined;
  /** The driver lists an area that no page fits into, and the size of a page cannot be set. */
  readonly area_unusable?: boolean | undefined;
};

/** A page that is complete, checked and synced to disk. */
export interface ScannedPage {
  readonly number: number;
  /** In duplex, two pages share a sheet; otherwise every page is the front of its own. */
  readonly sheet: number;
  readonly side: 'front' | 'back';
  /** `page-0001.tif`, relative to the request's directory. */
  readonly filename: string;
  readonly bytes: number;
  readonly width_px: number;
  readonly height_px: number;
  readonly dpi: number;
  /** The driver was asked to cut the page to the paper. */
  readonly cropped: boolean;
}

export interface FedStack {
  readonly device: string;
  /** Whether the source in use scans both sides of a sheet, by its name or by an option beside it. */
  readonly duplex: boolean;
  readonly page_count: number;
  readonly warnings: readonly string[];
}

/** A scan that the runtime is working on. */
export interface RunningScan {
  readonly directory: string;
  /** As the request named the device. */
  readonly asked: string;
  /** The device's own name; null while it is being looked for. */
  readonly device: string | null;
}

/**
 * The facts of a failed scan always hold `page_count` and `warnings` (what a person must know, a sentence each), and `device` and
 * `duplex` where they are known.
 */
export interface FailureMessage {
  readonly code: FailureCode;
  readonly what: string;
  readonly remedy?: string | undefined;
  readonly facts: FailureFacts;
}

/** Why a request is to end early; the reason of the signal that the runtime's handlers get. */
export type StopReason = 'cancelled' | 'connection_lost' | 'shutting_down';
