import { once } from 'node:events';
import { createServer } from 'node:net';
import path from 'node:path';
import { Failure } from '../../../helpers/failure.ts';
import type { FedStack, ScannedPage } from '../../../helpers/ipc/messages.ts';
import { createRequestClient, type RequestClient } from '../../../helpers/ipc/request-client.ts';
import {
  REQUEST_LIMITS,
  serveRequests,
  type RequestHandlers,
  type RequestLimits,
} from '../../../helpers/ipc/request-server.ts';
import { capturedLog, type CapturedLog } from '../../support/captured-log.ts';
import type { Fixture } from '../../support/suite.ts';
import { PAGE } from '../scanner/device-samples.ts';

/** node-ipc ends each message with this. */
export const END = '\f';
export const SUMMARY: FedStack = { device: 'test:0', duplex: false, page_count: 2, warnings: [] };
export const page = (number: number): ScannedPage => ({
  ...PAGE,
  number,
  sheet: number,
  filename: `page-000${number}.tif`,
});

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

export interface IpcBench extends Fixture {
  readonly socket: string;
  readonly serverLog: CapturedLog;
  readonly clientLog: CapturedLog;
  readonly serve: (
    handlers?: Partial<RequestHandlers>,
    limits?: RequestLimits,
  ) => Promise<{ readonly close: () => unknown }>;
  readonly connect: () => RequestClient;
  /** A client of a fake runtime that gives this answer to every frame. */
  readonly impostor: (answer: (request: string) => string) => Promise<RequestClient>;
}

export async function openBench(directory: string): Promise<IpcBench> {
  const socket = path.join(directory, 'scanner.sock');
  const [serverLog, clientLog] = [capturedLog(), capturedLog()];
  const clients: RequestClient[] = [];
  const servers: { readonly close: () => unknown }[] = [];
  const connect = (to = socket): RequestClient => {
    const client = createRequestClient(to, clientLog.log);
    clients.push(client);
    return client;
  };
  return {
    socket,
    serverLog,
    clientLog,
    serve: async (handlers = {}, limits = REQUEST_LIMITS) => {
      const all = { ...HANDLERS, ...handlers };
      const server = await serveRequests(socket, all, serverLog.log, limits);
      servers.push(server);
      return server;
    },
    connect: () => connect(),
    impostor: async (answer) => {
      const at = path.join(directory, `${servers.length}.sock`);
      const server = createServer((peer) => {
        peer.on('error', () => {});
        peer.on('data', (data) => {
          for (const request of String(data).split(END).filter(Boolean))
            peer.write(answer(request), 'latin1');
        });
      });
      servers.push({ close: () => once(server.close(), 'close') });
      await once(server.listen(at), 'listening');
      return connect(at);
    },
    close: async () => {
      for (const { close } of clients) close();
      for (const { close } of servers) await close();
    },
  };
}
