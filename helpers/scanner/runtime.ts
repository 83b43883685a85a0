import { Failure } from '../failure.ts';
import type { ScanRequest, ScanSummary, StopReason } from '../ipc/messages.ts';
import type { RequestHandlers, ScanOptions } from '../ipc/request-server.ts';
import type { Log } from '../log.ts';
import { createDevices, type ClaimedDevice } from './devices.ts';
import { checkScanDirectory, freeBytes } from './scan-directory.ts';
import { outcomeOf, stopFailure } from './scan-outcome.ts';
import { reasonOf, runSession, storageShortage } from './scan-session.ts';
import { scanProgram, sourceInUse, type Scanimage } from './scanimage.ts';
import { isDuplex } from './sources.ts';

export interface RuntimeOptions {
  readonly scanimage: Scanimage;
  /** Longest time without a sign of the scanner, in milliseconds. */
  readonly pageTimeoutMs: number;
  readonly log: Log;
  /** Bytes free in a directory; what the file system says by default. */
  readonly free?: (directory: string) => Promise<number>;
}

export interface ScannerRuntime extends RequestHandlers {
  /** Stops every scan after its current sheet and takes no new one; resolves when no scanimage is left. */
  readonly close: () => Promise<void>;
}

/** What the runtime does for each request; every handler rejects with `Failure`. */
export function createScannerRuntime(options: RuntimeOptions): ScannerRuntime {
  const devices = createDevices(options.scanimage);
  const shutdown = new AbortController();
  const running = new Set<Promise<unknown>>();

  /** Runs `work` so that `close` waits for it; work that was stopped fails with the reason, however it took it. */
  const stoppable = async <Result>(
    signal: AbortSignal,
    work: (signal: AbortSignal) => Promise<Result>,
  ): Promise<Result> => {
    const stop = AbortSignal.any([signal, shutdown.signal]);
    if (stop.aborted) throw stopFailure(reasonOf(stop), {}, 0);
    const done = work(stop);
    running.add(done);
    try {
      return await done;
    } catch (error) {
      const told = error instanceof Failure && 'page_count' in error.facts;
      if (stop.aborted && !told) throw stopFailure(reasonOf(stop), {}, 0);
      throw error;
    } finally {
      running.delete(done);
    }
  };

  return {
    health: async () => ({ status: 'ok', scanning: devices.scanning() }),
    list_devices: (signal) => stoppable(signal, devices.list),
    describe_device: (request, signal) =>
      stoppable(signal, (stop) => devices.describe(request, stop)),
    scan: async (request, { signal, onPage }) => {
      try {
        return await stoppable(signal, (stop) =>
          devices.withDevice(request, stop, (device) =>
            scan(device, request, { ...options, signal: stop, onPage }),
          ),
        );
      } catch (error) {
        throw counted(error);
      }
    },
    close: async () => {
      shutdown.abort('shutting_down' satisfies StopReason);
      await Promise.allSettled(running);
    },
  };
}

/** A scan that failed before its first sheet was fed has no pages, and nothing to warn of. */
function counted(error: unknown): unknown {
  if (!(error instanceof Failure) || 'page_count' in error.facts) return error;
  const { code, message, cause } = error;
  const facts = { ...error.facts, page_count: 0, warnings: [] };
  return new Failure(code, message, { facts, cause });
}

async function scan(
  { name, options }: ClaimedDevice,
  request: ScanRequest,
  runtime: RuntimeOptions & ScanOptions,
): Promise<ScanSummary> {
  const { scanimage, pageTimeoutMs, signal, onPage, log, free = freeBytes } = runtime;
  const { directory, first_page } = request;
  const source = sourceInUse(request, options);
  const duplex = isDuplex(source, request.scanner_options, options);
  await checkScanDirectory(directory, first_page);
  const shortage = await storageShortage(first_page, { request, duplex }, free);
  if (shortage) throw shortage;
  if (signal.aborted) throw stopFailure(reasonOf(signal), {}, 0);
  log.info({ device: name, source, directory, first_page }, 'scan started');
  const program = scanProgram(scanimage, name, request, options);
  const session = { program, request, duplex };
  const end = await runSession(session, { signal, onPage, pageTimeoutMs, freeBytes: free });
  const { exitCode, durationMs } = end.ended;
  const told = { device: name, pages: end.count, exitCode, durationMs, halt: end.halt?.kind };
  log.info(told, 'scan ended');
  return outcomeOf(end, { device: name, request, source, duplex, pageTimeoutMs });
}
