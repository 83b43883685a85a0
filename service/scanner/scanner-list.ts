import { isDeviceName } from '../../helpers/device-names.ts';
import { Failure, errorBody } from '../../helpers/failure.ts';
import type { Device, DeviceDescription } from '../../helpers/ipc/messages.ts';
import type { ScannerClient } from './scanner-client.ts';

export interface ListedScanner extends Device {
  readonly sources: readonly SourceDescription[];
  /** Why the sources are unknown. Null if they are known. */
  readonly problem: Record<string, unknown> | null;
}

/** `source` is null if the scanner has no choice of sources. */
export interface SourceDescription extends Pick<
  DeviceDescription,
  'feeder' | 'sides' | 'modes' | 'resolutions' | 'options'
> {
  readonly source: string | null;
  /** Null if the scanner accepts no page size. */
  readonly max_page: { readonly width_mm: number; readonly height_mm: number } | null;
}

export interface ScannerList {
  /** ISO 8601 time of the search. */
  readonly looked_at: string;
  readonly scanners: readonly ListedScanner[];
}

export interface ScannerListOptions {
  readonly scanner: Pick<ScannerClient, 'listDevices' | 'describeDevice' | 'scanning'>;
  /** Devices named in profiles. SANE's list lacks devices that are opened by address. */
  readonly namedDevices: () => readonly string[];
  /** How long a complete result with scanners is kept. */
  readonly keptMs?: number;
  /** How long any other result is kept. */
  readonly incompleteKeptMs?: number;
}

/** Scanners rarely change, and a search wakes them up. */
const KEPT_MS = 10 * 60_000;

/** Short, since the list may lack a scanner. Not shorter, since each search delays scans. */
const INCOMPLETE_KEPT_MS = 30_000;

/** A search takes seconds, unless a scanner hangs. */
const LOOK_MS = 45_000;

/**
 * Searches if the last result is too old, or with `refresh`. During a scan, returns the last result
 * or throws Failure `scanner_busy`. Concurrent callers share a search.
 */
export function createScannerList({
  scanner,
  namedDevices,
  keptMs = KEPT_MS,
  incompleteKeptMs = INCOMPLETE_KEPT_MS,
}: ScannerListOptions): (refresh: boolean) => Promise<ScannerList> {
  let known: { readonly list: ScannerList; readonly until: number } | undefined;
  let looking: Promise<ScannerList> | undefined;

  /** If a scan starts during the search, returns the last result. */
  async function lookOrLast(): Promise<ScannerList> {
    try {
      return await look();
    } catch (error) {
      if (known && error instanceof Failure && error.code === 'scanner_busy') return known.list;
      throw error;
    }
  }

  async function look(): Promise<ScannerList> {
    const signal = AbortSignal.timeout(LOOK_MS);
    if ((await scanner.scanning(signal)).length > 0) {
      throw new Failure(
        'scanner_busy',
        'A scan is running, and looking for scanners would disturb it. Try again when it has finished.',
      );
    }
    const listed = await scanner.listDevices(signal);
    const scanners: ListedScanner[] = [];
    for (const device of [...listed, ...unlisted(listed, namedDevices())]) {
      scanners.push(await describeScanner(device, scanner, signal));
    }
    const list = { looked_at: new Date().toISOString(), scanners };
    const isComplete = scanners.length > 0 && scanners.every(({ problem }) => problem === null);
    known = { list, until: performance.now() + (isComplete ? keptMs : incompleteKeptMs) };
    return list;
  }

  return async (refresh) => {
    if (known && !refresh && performance.now() < known.until) return known.list;
    return (looking ??= lookOrLast().finally(() => (looking = undefined)));
  };
}

function unlisted(listed: readonly Device[], names: readonly string[]): Device[] {
  const missing = names.filter(
    (name) => isDeviceName(name) && !listed.some((device) => device.name === name),
  );
  return [...new Set(missing)].map((name) => ({ name, vendor: '', model: '', type: '' }));
}

/** Reads what each source of a scanner offers. */
export async function describeScanner(
  device: Device,
  scanner: Pick<ScannerClient, 'describeDevice'>,
  signal: AbortSignal,
): Promise<ListedScanner> {
  try {
    const first = await scanner.describeDevice(device.name, undefined, signal);
    const sources = [toSource(first)];
    for (const source of first.sources.filter((name) => name !== first.source)) {
      sources.push(toSource(await scanner.describeDevice(device.name, source, signal)));
    }
    return { ...device, sources, problem: null };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { ...device, sources: [], problem: errorBody(error) };
  }
}

function toSource(description: DeviceDescription): SourceDescription {
  const { source, feeder, sides, modes, resolutions, max_page, options } = description;
  return {
    source: source ?? null,
    feeder,
    sides,
    modes,
    resolutions,
    max_page: max_page ?? null,
    options,
  };
}
