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
import { EVENT_MS, type Fixture } from '../../support/suite.ts';

/** A server and its clients at one socket; every test has its own. */
export interface IpcBench extends Fixture {
  readonly directory: string;
  readonly socket: string;
  readonly serverLog: CapturedLog;
  readonly clientLog: CapturedLog;
  /** Serves requests until the end of the test. */
  readonly serve: (
    handlers?: Partial<RequestHandlers>,
    limits?: RequestLimits,
  ) => Promise<{ close: () => Promise<void> }>;
  readonly client: () => RequestClient;
}

export async function openBench(directory: string): Promise<IpcBench> {
  const socket = path.join(directory, 'scanner.sock');
  const [serverLog, clientLog] = [capturedLog(), capturedLog()];
  const closing: (() => void | Promise<void>)[] = [];
  return {
    directory,
    socket,
    serverLog,
    clientLog,
    serve: async (handlers = {}, limits = REQUEST_LIMITS) => {
      const server = await serveRequests(
        socket,
        { ...HANDLERS, ...handlers },
        serverLog.log,
        limits,
      );
      closing.push(server.close);
      return server;
    },
    client: () => {
      const made = createRequestClient(socket, clientLog.log);
      closing.unshift(made.close);
      return made;
    },
    close: async () => {
      for (const close of closing) await close();
    },
  };
}

const NEVER = new AbortController().signal;
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
