import { once } from 'node:events';
import path from 'node:path';
import { Failure } from '../../../helpers/failure.ts';
import type { ScannedPage, ScanRequest, FedStack } from '../../../helpers/ipc/messages.ts';
import { createRequestClient, type RequestClient } from '../../../helpers/ipc/request-client.ts';
import {
  REQUEST_LIMITS,
  serveRequests,
  type RequestHandlers,
  type RequestLimits,
} from '../../../helpers/ipc/request-server.ts';
import { capturedLog, type CapturedLog } from '../../support/captured-log.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';

/** A server and its clients at one socket; every test has its own. */
export interface IpcBench {
  directory: TemporaryDirectory;
  socket: string;
  serverLog: CapturedLog;
  clientLog: CapturedLog;
  closing: (() => void | Promise<void>)[];
}

export async function openBench(bench: IpcBench): Promise<void> {
  bench.directory = await temporaryDirectory();
  bench.socket = path.join(bench.directory.path, 'scanner.sock');
  bench.serverLog = capturedLog();
  bench.clientLog = capturedLog();
  bench.closing = [];
}

export async function closeBench({ directory, closing }: IpcBench): Promise<void> {
  for (const close of closing) await close();
  await directory.remove();
}

const NEVER = new AbortController().signal;
/** For what a test waits for, on a machine however busy. */
export const EVENT_MS = 60_000;
export const LOOK = { signal: NEVER, deadlineMs: 10 * EVENT_MS, cancelWaitMs: 0 };
export const SCAN = { ...LOOK, cancelWaitMs: EVENT_MS };
export const REQUEST: ScanRequest = {
  device: 'auto',
  mode: 'Gray',
  resolution: 300,
  page_size: { width_mm: 210, height_mm: 297 },
  max_pages: 10,
  scanner_options: {},
  directory: '/scans/1',
  first_page: 1,
  first_sheet: 1,
};
export const page = (number: number): ScannedPage => ({
  number,
  sheet: number,
  side: 'front',
  filename: `page-000${number}.tif`,
  bytes: 10,
  width_px: 1,
  height_px: 1,
  dpi: 300,
  cropped: false,
});
export const SUMMARY: FedStack = {
  device: 'test:0',
  duplex: false,
  page_count: 2,
  warnings: [],
};

const HANDLERS: RequestHandlers = {
  health: async () => ({ status: 'ok', scanning: [] }),
  list_devices: async () => [],
  describe_device: async (_ask, { signal }) => {
    await once(signal, 'abort');
    throw new Failure('timeout', 'Stopped.');
  },
  check_scan: async ({ device }) => ({ device }),
  read_sensors: async ({ device }) => ({ device, sensors: {}, scans: 0 }),
  scan: async (_request, { onPage }) => {
    onPage(page(1));
    onPage(page(2));
    return SUMMARY;
  },
};

export async function serve(
  context: IpcBench,
  handlers: Partial<RequestHandlers> = {},
  limits: RequestLimits = REQUEST_LIMITS,
): Promise<{ close: () => Promise<void> }> {
  const all = { ...HANDLERS, ...handlers };
  const server = await serveRequests(context.socket, all, context.serverLog.log, limits);
  context.closing.push(server.close);
  return server;
}

export function client(context: IpcBench): RequestClient {
  const made = createRequestClient(context.socket, context.clientLog.log);
  context.closing.unshift(made.close);
  return made;
}

/** A handler for scans that ends when it is stopped, and tells by what. */
export function stoppable(): {
  handlers: Partial<RequestHandlers>;
  begun: Promise<void>;
  stopped: Promise<unknown>;
} {
  const begun = Promise.withResolvers<void>();
  const stopped = Promise.withResolvers<unknown>();
  const scan: RequestHandlers['scan'] = async (_request, { signal, onPage }) => {
    onPage(page(1));
    begun.resolve();
    await once(signal, 'abort');
    stopped.resolve(signal.reason);
    onPage(page(2));
    throw new Failure('timeout', 'The scan was cancelled.', { facts: { page_count: 2 } });
  };
  return { handlers: { scan }, begun: begun.promise, stopped: stopped.promise };
}
