import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../failure.ts';
import type {
  CheckedScan,
  DescribeRequest,
  Device,
  DeviceDescription,
  RunningScan,
  ScanRequest,
  SensorReading,
  SensorsRequest,
} from '../ipc/messages.ts';
import { isDeviceName } from '../device-names.ts';
import { describeDevice } from './device-description.ts';
import { createDeviceLocks, type DeviceLocks } from './device-locks.ts';
import { createDeviceQueries, type DeviceQuery, type DeviceQueries } from './device-queries.ts';
import { createSearch, disturbing, type Search } from './device-search.ts';
import {
  LIST_TIMEOUT_MS,
  prepareScan,
  readOptions,
  type PreparedScan,
} from './scan-preparation.ts';
import type { ClaimedDevice, Scanimage } from './scanimage.ts';
import { readSensors, sensorsOf } from './sensors.ts';
import { sanedHost } from './saned-link.ts';
import { explainWithSaned } from './explain-with-saned.ts';
import { sourceInUse } from './sources.ts';
import { explainWithEscl } from './explain-with-escl.ts';
import { explainWithUsb } from './explain-with-usb.ts';
import { AIRSCAN } from './escl-status.ts';

/** After an interrupted opening, a USB scanner cannot be opened for a moment. */
const RECOVERY_MS = 1000;

/**
 * How long a scan waits for a sensor reading, in milliseconds. It takes a tenth of a second; after
 * an interruption, a USB scanner would have to recover. A hanging scanimage is killed a second
 * later.
 */
const SENSORS_MS = 1000;

/**
 * How long a scan waits for interrupted queries to end, in milliseconds. They usually take a few. A
 * scanimage that ignores its signal is killed after a second, when the scan is already running.
 */
const QUERIES_END_MS = 100;

const NETWORKED = /^(?:airscan|escl|net):|[:/]net[:/]/u;

/** The cover sensor of fujitsu and epjitsu. */
const COVER = 'cover-open';

export interface Devices {
  readonly list: (signal: AbortSignal) => Promise<readonly Device[]>;
  readonly describe: (request: DescribeRequest, signal: AbortSignal) => Promise<DeviceDescription>;
  /** Validates a request as a scan would. Throws `Failure`, also while the device is scanning. */
  readonly check: (request: ScanRequest, signal: AbortSignal) => Promise<CheckedScan>;
  /** Throws `Failure('scanner_busy')` while a scan has or seeks its device, or a query runs. */
  readonly readSensors: (request: SensorsRequest, signal: AbortSignal) => Promise<SensorReading>;
  /** Includes scans that are still searching for their device. */
  readonly scanning: () => readonly RunningScan[];
  /**
   * Finds the device, validates the request and reserves the device while `use` runs. Ends running
   * queries with `scanner_busy`, which takes at most `QUERIES_END_MS`. Only waits longer for a USB
   * sensor reading (`SENSORS_MS`), and for a device list that it needs itself.
   */
  readonly withDevice: <Result>(
    request: ScanRequest,
    signal: AbortSignal,
    use: (device: ClaimedDevice) => Promise<Result>,
  ) => Promise<Result>;
  /** Ends every query. Resolves when all their scanimage processes have exited. */
  readonly endQueries: (reason: Failure) => Promise<void>;
}

/** One query at a time, and no listing during a scan, since USB drivers open all devices. */
export function createDevices(scanimage: Scanimage): Devices {
  const scans = createDeviceLocks();
  const queries = createDeviceQueries();
  const search = createSearch(scanimage, scans.withDevice);

  return {
    list: (signal) => queries.run({ kind: 'list' }, signal, search.list),
    describe: ({ device, source }, signal) =>
      queries.run({ kind: 'describe', device }, signal, async (stop) => {
        const name = await search.find(device, stop);
        scans.checkFree(name);
        const options = await readOptions(scanimage, name, source, stop);
        return describeDevice(name, options, search.isSheetFed(name));
      }),
    check: (request, signal) =>
      queries.run({ kind: 'check', device: request.device }, signal, async (stop) => {
        scans.checkFree(request.device);
        const device = await search.find(request.device, stop);
        scans.checkFree(device);
        return asChecked(device, await prepareOrExplain(scanimage, device, request, stop));
      }),
    readSensors: createSensorReader(scanimage, { scans, queries, search }),
    scanning: scans.list,
    withDevice: async (request, signal, use) => {
      const scan = scans.begin(request);
      try {
        const hasInterrupted = await endBlockingQueries(request, queries, search);
        const claim = async (prepare = prepareOrExplain): Promise<ClaimedDevice> => {
          const name = await search.find(request.device, signal);
          scan.foundDevice(name);
          const prepared = await prepare(scanimage, name, request, signal);
          const isSheetFed = search.isSheetFed(name);
          const source = sourceInUse(prepared.request, prepared.options, isSheetFed);
          return { name, ...prepared, source };
        };
        const claimed = await queries.inTurn(QUERIES_END_MS, async () => {
          if (!hasInterrupted) return claim();
          try {
            return await claim(prepareScan);
          } catch (error) {
            if (!mayRecover(error)) throw error;
            await sleep(RECOVERY_MS, undefined, { signal });
            return await claim();
          }
        });
        return await use(claimed);
      } finally {
        scan.end();
      }
    },
    endQueries: async (reason) => {
      queries.end(reason, () => true);
      await queries.over();
    },
  };
}

function asChecked(device: string, { request, options }: PreparedScan): CheckedScan {
  const { paper, page_size, area_unusable } = request;
  const isOpen = sensorsOf(options).sensors[COVER];
  return {
    device,
    ...(isOpen && { cover_open: true }),
    ...(paper && { page_size }),
    ...(area_unusable && { area_unusable }),
  };
}

/** Prepares a scan, and explains why a device cannot be opened. */
async function prepareOrExplain(
  scanimage: Scanimage,
  device: string,
  request: ScanRequest,
  signal: AbortSignal,
): Promise<PreparedScan> {
  try {
    return await prepareScan(scanimage, device, request, signal);
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== 'no_scanner_detected') throw error;
    if (sanedHost(device) !== undefined) throw await explainWithSaned(error, device, signal);
    throw NETWORKED.test(device)
      ? await explainWithEscl(error, { device, env: scanimage.env }, signal)
      : await explainWithUsb(error, scanimage, { isNoneListed: false, signal });
  }
}

/** True for a sensor query that opens the device. A network scanner only gets a status request. */
function opensDevice({ kind, device = '' }: DeviceQuery, known: Search['known']): boolean {
  return kind === 'sensors' && !AIRSCAN.test(known(device) ?? device);
}

/** Ends queries that delay a scan. Returns true if one had already started. */
async function endBlockingQueries(
  request: ScanRequest,
  queries: DeviceQueries,
  search: Search,
): Promise<boolean> {
  const { device } = request;
  await queries.settled((query) => opensDevice(query, search.known), SENSORS_MS);
  const needsList = search.needsList(device);
  const isItsList = ({ kind }: DeviceQuery, hasBegun: boolean): boolean =>
    kind === 'list' && hasBegun && needsList;
  const hasInterrupted = queries.end(
    disturbing(request),
    (query, hasBegun) => !isItsList(query, hasBegun) && isInTheWay(query, device, search.known),
  );
  await queries.settled(isItsList, LIST_TIMEOUT_MS);
  return hasInterrupted;
}

/** A check of another scanner does not delay a scan. */
function isInTheWay({ kind, device }: DeviceQuery, asked: string, known: Search['known']): boolean {
  if (kind !== 'check' || device === undefined) return true;
  const [one, other] = [known(device), known(asked)];
  return one === other || one === undefined || other === undefined;
}

/** Reads sensors only while no scan and no other query could be delayed. */
function createSensorReader(
  scanimage: Scanimage,
  {
    scans,
    queries,
    search,
  }: { readonly scans: DeviceLocks; readonly queries: DeviceQueries; readonly search: Search },
): Devices['readSensors'] {
  const read = async (name: string, stop: AbortSignal): Promise<SensorReading> => {
    scans.checkFree(name);
    const found = await readSensors(scanimage, name, stop);
    return { device: name, ...found, scans: scans.count(name) };
  };
  return async ({ device }, signal) => {
    scans.checkFree(device);
    const isSearching = scans.list().some((scan) => scan.device === null);
    if (isSearching || queries.isBusy()) throw inQuestion();
    return queries.run({ kind: 'sensors', device }, signal, async (stop) => {
      const known = search.known(device);
      // A name with a bus position may have changed. If the known one fails, searches again.
      const found = known === undefined ? undefined : read(known, stop);
      if (found && isDeviceName(device)) return found;
      return (await found?.catch(unlessBusy)) ?? read(await search.find(device, stop), stop);
    });
  };
}

function inQuestion(): Failure {
  const what = 'The scanner runtime is looking at its scanners.';
  const facts = { looking: true };
  return new Failure('scanner_busy', what, { remedy: 'Try again in a moment.', facts });
}

function unlessBusy(error: unknown): undefined {
  if (!(error instanceof Failure) || error.code === 'scanner_busy') throw error;
}

/** True if the failure may result from an interrupted opening. */
function mayRecover(error: unknown): boolean {
  const codes: readonly string[] = [
    'scanner_busy_elsewhere',
    'no_scanner_detected',
    'scanner_error',
  ];
  return error instanceof Failure && codes.includes(error.code);
}
