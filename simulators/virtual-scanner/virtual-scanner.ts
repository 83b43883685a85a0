import Koa from 'koa';
import { once, type EventEmitter } from 'node:events';
import type { Server } from 'node:http';
import { PAGES_DIR } from '../pages/manifest.ts';
import { createControlRouter } from './control-routes.ts';
import { Device, type DeviceOptions, type ScannerEvents, type ScannerState } from './device.ts';
import { INPUTS, type Input } from './escl-documents.ts';
import { createEsclRouter, ESCL_PATH } from './escl-routes.ts';
import type { Fault } from './faults.ts';
import type { Paper } from './feeder.ts';
import { pageFiles } from './page-files.ts';
import { TRANSFER_FORMATS, type TransferFormat } from './scan-settings.ts';

export type { Fault } from './faults.ts';
export type { Paper } from './feeder.ts';
export { writeSaneConfig } from './sane-config.ts';

/**
 * Jobs without requests for pages are dropped after this time, as by real devices. sane-airscan of
 * Debian 12 pauses for up to one second between pages.
 */
const ORPHAN_AFTER_MS = 2000;

/** Requests kept for assertions. Limited, since a demo may run for weeks. */
const REQUESTS_KEPT = 1000;

export interface VirtualScannerOptions {
  readonly pages?: readonly Paper[];
  /**
   * Without `pages`, the images of this directory are scanned, in name order. The control API loads
   * from it too, or else from the shipped pages.
   */
  readonly pagesDir?: string;
  /** Sheets per minute. Default: as fast as the client requests pages. */
  readonly pagesPerMinute?: number;
  readonly host?: string;
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Make and model. The device name in SANE comes from `writeSaneConfig`. */
  readonly name?: string;
  readonly formats?: readonly TransferFormat[];
  /** Glass, simplex feeder, duplex feeder. Default: all. */
  readonly inputs?: readonly Input[];
  /** White by default. */
  readonly backing?: DeviceOptions['backing'];
  /** Backs are scanned upside down, as by some feeders. */
  readonly turnsBacks?: boolean;
  readonly orphanAfterMs?: number;
  /** The effect of DELETE on the current page. `abort` (404) makes sane-airscan start a new job. */
  readonly onDelete?: DeviceOptions['onDelete'];
  /** Loads the first stack again when a job that emptied the feeder is closed. */
  readonly loop?: boolean;
  readonly log?: (message: string) => void;
}

export interface VirtualScanner {
  readonly port: number;
  readonly url: string;
  readonly state: ScannerState;
  readonly events: EventEmitter<ScannerEvents>;
  /** Replaces the paper in the feeder. The first page is also put on the glass. */
  readonly load: (papers: readonly Paper[]) => void;
  readonly setFault: (fault: Fault | null) => void;
  /** Drops the job of a client that has ended, before the scanner notices. */
  readonly dropJob: () => void;
  /** Closes all connections, including those kept open by a fault. */
  readonly close: () => Promise<void>;
}

/** Starts a network scanner for SANE's airscan backend. Rejects if the port is in use. */
export async function createVirtualScanner(
  options: VirtualScannerOptions = {},
): Promise<VirtualScanner> {
  const { host = '127.0.0.1', port = 0, orphanAfterMs = ORPHAN_AFTER_MS } = options;
  const papers = options.pages ?? (options.pagesDir ? await pageFiles(options.pagesDir) : []);
  const { pagesPerMinute, onDelete = 'abort', backing = 'white', turnsBacks = false } = options;
  const device = new Device({ pagesPerMinute, onDelete, orphanAfterMs, backing, turnsBacks });
  device.load(papers);
  if (options.loop) refillWhenEmpty(device, papers);
  const requests: string[] = [];
  device.events.on('request', ({ method, path }) => {
    requests.push(`${method} ${path}`);
    if (requests.length > REQUESTS_KEPT) requests.shift();
    options.log?.(`${method} ${path}`);
  });
  const state = (): ScannerState => snapshot(device, requests);
  const load = (stack: readonly Paper[]): void => device.load(stack);
  const setFault = (fault: Fault | null): void => device.setFault(fault);
  const server = createApp(device, options, { papers, state }).listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  const boundPort = typeof address === 'object' && address ? address.port : port;
  return {
    port: boundPort,
    url: `http://${host}:${boundPort}${ESCL_PATH}`,
    get state() {
      return state();
    },
    events: device.events,
    load,
    setFault,
    dropJob: () => device.dropJob(),
    close: () => shutDown(device, server),
  };
}

interface Shared {
  readonly papers: readonly Paper[];
  readonly state: () => ScannerState;
}

function createApp(device: Device, options: VirtualScannerOptions, shared: Shared): Koa {
  const app = new Koa();
  app.on('error', (error: Error) => options.log?.(error.message));
  const { name = 'Virtual Scanner', formats = TRANSFER_FORMATS, inputs = INPUTS } = options;
  app.use(createEsclRouter(device, { name, formats, inputs }).routes());
  const controls = {
    state: shared.state,
    load: (papers: readonly Paper[]) => device.load(papers),
    setFault: (fault: Fault | null) => device.setFault(fault),
    initialPapers: shared.papers,
    pagesDir: options.pagesDir ?? PAGES_DIR,
  };
  app.use(createControlRouter(controls).routes());
  return app;
}

function snapshot(device: Device, requests: readonly string[]): ScannerState {
  const settings = device.lastSettings ?? null;
  return {
    ...device.counts,
    sheetsLeft: device.feeder.sheetsLeft(settings?.source === 'ADF Duplex'),
    adfState: device.adfState,
    scanning: device.isScanning,
    fault: device.fault,
    settings,
    requests: [...requests],
  };
}

function refillWhenEmpty(device: Device, papers: readonly Paper[]): void {
  device.events.on('closed', () => {
    if (device.feeder.isEmpty) device.load(papers);
  });
}

async function shutDown(device: Device, server: Server): Promise<void> {
  device.shutDown();
  const closed = once(server, 'close');
  server.close();
  server.closeAllConnections();
  await closed;
}
