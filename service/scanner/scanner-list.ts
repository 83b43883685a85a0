import { isDeviceName } from '../../helpers/device-names.ts';
import { Failure, errorBody } from '../../helpers/failure.ts';
import type { Device, DeviceDescription } from '../../helpers/ipc/messages.ts';
import type { ScannerClient } from './scanner-client.ts';

/** A scanner, and what it offers for each of its sources. */
export interface ListedScanner extends Device {
  readonly sources: readonly SourceDescription[];
  /** Why its sources are not known, where that is so. */
  readonly problem: Record<string, unknown> | null;
}

/** `source` is null where the scanner has no choice. */
export interface SourceDescription extends Pick<
  DeviceDescription,
  'feeder' | 'sides' | 'modes' | 'resolutions' | 'options'
> {
  readonly source: string | null;
  /** Null where the scanner takes no page size. */
  readonly max_page: { readonly width_mm: number; readonly height_mm: number } | null;
}

export interface ScannerList {
  /** When they were looked for, ISO 8601. */
  readonly looked_at: string;
  readonly scanners: readonly ListedScanner[];
}

export interface ScannerListOptions {
  readonly scanner: Pick<ScannerClient, 'listDevices' | 'describeDevice' | 'scanning'>;
  /** Devices that profiles name: one that is opened by its address is not listed by SANE. */
  readonly namedDevices: () => readonly string[];
  /** How long a look counts that found scanners and has all that they offer, in milliseconds. */
  readonly keptMs?: number;
  /** How long any other look counts, in milliseconds. */
  readonly incompleteKeptMs?: number;
}

/** Scanners come and go rarely, and each look wakes them up. */
const KEPT_MS = 10 * 60_000;

/**
 * A search of the network misses a scanner now and then, and one that was just switched on does not answer yet. Not shorter:
 * a profile may name a device that is off for days, and each look keeps a scan waiting for as long as that takes to fail.
 */
const INCOMPLETE_KEPT_MS = 30_000;

/** With the search of the network a look takes seconds; a scanner that hangs is given up. */
const LOOK_MS = 45_000;

/**
 * The scanners that SANE sees. Looks for them when asked, or again with `refresh`, but never while a scan runs: then it has what
 * it found last, or throws Failure `scanner_busy`. Callers at the same time share one look.
 */
export function createScannerList({
  scanner,
  namedDevices,
  keptMs = KEPT_MS,
  incompleteKeptMs = INCOMPLETE_KEPT_MS,
}: ScannerListOptions): (refresh: boolean) => Promise<ScannerList> {
  let known: { readonly list: ScannerList; readonly until: number } | undefined;
  let looking: Promise<ScannerList> | undefined;

  /** A scan that begins ends the look: what was found last counts then, too. */
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
      scanners.push(await describe(device, scanner, signal));
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

/** The devices among `names` that a list lacks. */
function unlisted(listed: readonly Device[], names: readonly string[]): Device[] {
  const missing = names.filter(
    (name) => isDeviceName(name) && !listed.some((device) => device.name === name),
  );
  return [...new Set(missing)].map((name) => ({ name, vendor: '', model: '', type: '' }));
}

async function describe(
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
