import { Failure } from '../failure.ts';
import type { FedStack, StopReason } from '../ipc/messages.ts';
import type { Call, RequestHandlers } from '../ipc/request-server.ts';
import { withScanFacts } from '../ipc/scan-facts.ts';
import type { Log } from '../log.ts';
import { createDevices } from './devices.ts';
import { freeBytes } from '../free-bytes.ts';
import { checkScanDirectory, storageShortage } from './output-directory.ts';
import { SCAN_LIMITS, type ScanLimits } from './scan-halt.ts';
import { outcomeOf, stopFailure } from './scan-outcome.ts';
import { reasonOf, runSession } from './scan-session.ts';
import { scanProgram, type ClaimedDevice, type Scanimage } from './scanimage.ts';

export interface RuntimeOptions {
  readonly scanimage: Scanimage;
  readonly limits: Pick<ScanLimits, 'pageTimeoutMs'> & Partial<ScanLimits>;
  readonly finishMs?: number;
  readonly log: Log;
  readonly free?: (directory: string) => Promise<number>;
}

export interface ScannerRuntime extends RequestHandlers {
  /** Stops scans after `finishMs`. Resolves when all scanimage processes have ended. */
  readonly close: () => Promise<void>;
  /** Stops all scans after their current sheets. */
  readonly stopScans: () => void;
}

/** A hundred sheets at 15 per minute take less. Docker and systemd wait a minute longer. */
export const FINISH_MS = 10 * 60 * 1000;

/** The handlers reject with `Failure`. */
export function createScannerRuntime(options: RuntimeOptions): ScannerRuntime {
  const devices = createDevices(options.scanimage);
  const closing = new AbortController();
  const stopping = new AbortController();
  const running = new Set<Promise<unknown>>();

  /** `close` waits for `work`. Stopped work fails with the reason for the stop. */
  const stoppable = async <Result>(
    stop: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    if (closing.signal.aborted) throw stopFailure('shutting_down');
    if (stop.aborted) throw stopFailure(reasonOf(stop));
    const done = work(stop);
    running.add(done);
    try {
      return await done;
    } catch (error) {
      const reported = error instanceof Failure && 'page_count' in error.facts;
      if (stop.aborted && !reported) throw stopFailure(reasonOf(stop));
      throw error;
    } finally {
      running.delete(done);
    }
  };
  const query = <Result>(
    signal: AbortSignal,
    work: (stop: AbortSignal) => Promise<Result>,
  ): Promise<Result> => stoppable(AbortSignal.any([signal, closing.signal]), work);
  const stopScans = (): void => stopping.abort('shutting_down' satisfies StopReason);

  return {
    health: async () => ({ status: 'ok', scanning: devices.scanning() }),
    list_devices: (_ask, { signal }) => query(signal, devices.list),
    describe_device: (ask, { signal }) => query(signal, (stop) => devices.describe(ask, stop)),
    check_scan: (ask, { signal }) => query(signal, (stop) => devices.check(ask, stop)),
    read_sensors: (ask, { signal }) => query(signal, (stop) => devices.readSensors(ask, stop)),
    scan: async (request, { signal, onPage }) => {
      try {
        return await stoppable(AbortSignal.any([signal, stopping.signal]), (stop) =>
          devices.withDevice(request, stop, (device) =>
            scan(device, { ...options, signal: stop, onPage }),
          ),
        );
      } catch (error) {
        // A scan that failed before feeding has no pages and no warnings.
        throw withScanFacts(error, { page_count: 0, warnings: [] });
      }
    },
    close: async () => {
      closing.abort('shutting_down' satisfies StopReason);
      const timer = setTimeout(stopScans, options.finishMs ?? FINISH_MS);
      await devices.endQueries(stopFailure('shutting_down'));
      await Promise.allSettled(running);
      clearTimeout(timer);
    },
    stopScans,
  };
}

async function scan(claimed: ClaimedDevice, runtime: RuntimeOptions & Call): Promise<FedStack> {
  const { scanimage, signal, onPage, log, free = freeBytes } = runtime;
  const limits = { ...SCAN_LIMITS, ...runtime.limits };
  const { name, request, source } = claimed;
  const { directory, first_page, mode } = request;
  const { duplex } = source;
  await checkScanDirectory(directory, first_page);
  const shortage = await storageShortage(first_page, { request, pages: duplex ? 2 : 1 }, free);
  if (shortage) throw shortage;
  if (signal.aborted) throw stopFailure(reasonOf(signal));
  log.info(
    {
      event: 'scan_started',
      device: name,
      source: source.name,
      mode,
      duplex,
      directory,
      first_page,
    },
    'scan started',
  );
  const program = scanProgram(scanimage, claimed);
  const session = { program, request, device: name, duplex };
  const end = await runSession(session, { signal, onPage, limits, freeBytes: free });
  const { exitCode, durationMs } = end.ended;
  const facts = { device: name, pages: end.count, exitCode, durationMs, halt: end.halt?.kind };
  log.info({ event: 'scan_ended', ...facts }, 'scan ended');
  const { pageTimeoutMs } = limits;
  return outcomeOf(end, { device: name, request, source, pageTimeoutMs });
}
