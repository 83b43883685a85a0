import { EventEmitter, once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment } from '../../../helpers/child-process.ts';
import type { ScannedPage, ScanRequest, FedStack } from '../../../helpers/ipc/messages.ts';
import { createLog } from '../../../helpers/log.ts';
import {
  createScannerRuntime,
  type RuntimeOptions,
  type ScannerRuntime,
} from '../../../helpers/scanner/runtime.ts';
import type { ScanLimits } from '../../../helpers/scanner/scan-halt.ts';
import type { Scanimage } from '../../../helpers/scanner/scanimage.ts';
import { temporaryDirectory } from '../temporary-directory.ts';
import {
  createVirtualScanner,
  writeSaneConfig,
  type VirtualScanner,
} from '../../../simulators/virtual-scanner/virtual-scanner.ts';

export interface ScanBench {
  readonly runtime: ScannerRuntime;
  readonly pages: ScannedPage[];
  readonly request: (changes?: Partial<ScanRequest>) => Promise<ScanRequest>;
  readonly scan: (request: ScanRequest, signal?: AbortSignal) => Promise<FedStack>;
  readonly nextPage: () => Promise<ScannedPage>;
  readonly started: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export interface BenchOptions
  extends Partial<ScanLimits>, Pick<RuntimeOptions, 'free' | 'finishMs'> {
  readonly defaults: Omit<
    ScanRequest,
    'directory' | 'first_page' | 'first_sheet' | 'scanner_options' | 'max_pages'
  >;
}

const PAGE_TIMEOUT_MS = 60_000;

/** A free-space check that always passes. Calls `meets` just before page `number` is fed. */
export function beforePage(number: number, meets: () => unknown): () => Promise<number> {
  let asked = 0;
  return async () => {
    asked += 1;
    // Space is checked once before scanimage starts, and then before each page.
    if (asked === number + 1) await meets();
    return 1e12;
  };
}

export async function createBench(scanimage: Scanimage, options: BenchOptions): Promise<ScanBench> {
  const { defaults, ...given } = options;
  const temporary = await temporaryDirectory();
  const pages: ScannedPage[] = [];
  const events = new EventEmitter<{ page: [ScannedPage]; started: [] }>();
  const log = createLog('test', 'trace', {
    write: (line: string) => {
      if (line.includes('scan started')) events.emit('started');
    },
  });
  const limits = { pageTimeoutMs: PAGE_TIMEOUT_MS, ...given };
  const runtime = createScannerRuntime({ scanimage, limits, log, ...given });
  let scans = 0;
  return {
    runtime,
    pages,
    request: async (changes = {}) => {
      scans += 1;
      const directory = path.join(temporary.path, `scan-${scans}`);
      await mkdir(directory);
      const rest = { max_pages: 100, scanner_options: {}, first_page: 1, first_sheet: 1 };
      return { ...defaults, ...rest, directory, ...changes };
    },
    scan: (request, signal = new AbortController().signal) =>
      runtime.scan(request, {
        signal,
        onPage: (page) => {
          pages.push(page);
          events.emit('page', page);
        },
      }),
    nextPage: async () => (await once(events, 'page'))[0] as ScannedPage,
    started: async () => void (await once(events, 'started')),
    close: async () => {
      runtime.stopScans();
      await runtime.close();
      await temporary.remove();
    },
  };
}

export interface VirtualBench extends ScanBench {
  readonly scanner: VirtualScanner;
}

/**
 * How long the virtual scanner waits for a silent client: on a busy machine, scanimage may pause.
 */
const ORPHAN_AFTER_MS = 60_000;

export async function createVirtualBench(
  options: Parameters<typeof createVirtualScanner>[0] &
    Pick<BenchOptions, 'pageTimeoutMs' | 'stopGraceMs' | 'free'>,
): Promise<VirtualBench> {
  const config = await temporaryDirectory();
  const scanner = await createVirtualScanner({ orphanAfterMs: ORPHAN_AFTER_MS, ...options });
  await writeSaneConfig(config.path, [{ name: 'Büro 1', url: scanner.url }]);
  const env = programEnvironment({ SANE_CONFIG_DIR: config.path });
  const defaults = {
    device: 'airscan:e0:Büro 1',
    source: 'ADF',
    mode: 'Gray',
    resolution: 100,
    page_size: { width_mm: 210, height_mm: 297 },
  };
  const bench = await createBench({ file: 'scanimage', env }, { ...options, defaults });
  return {
    ...bench,
    scanner,
    close: async () => {
      await bench.close();
      await scanner.close();
      await config.remove();
    },
  };
}
