import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { callIdentity } from '../../../service/archive/recorded-calls.ts';
import { pageName } from '../../../service/archive/file-names.ts';
import { createScanArchive } from '../../../service/archive/scan-archive.ts';
import type { CallIdentity } from '../../../service/archive/scan-event.ts';
import type { ScanResult } from '../../../service/archive/scan-view.ts';
import { createDms } from '../../../service/paperless/dms.ts';
import { createProcessorClient } from '../../../service/processor/processor-client.ts';
import type { Profile } from '../../../service/profiles/profile.ts';
import { createScans } from '../../../service/scan/call/scans.ts';
import type { Redelivery } from '../../../service/archive/upload-decision.ts';
import type { ScannerClient } from '../../../service/scanner/scanner-client.ts';
import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { tiffFile } from '../../support/fake-scanimage/tiff-file.ts';
import { playedParts } from '../../support/scan-parts.ts';
import { createStubProcessor, type StubProcessor } from '../../support/stub-processor.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { testProfile } from '../../support/test-profile.ts';
import { mountTmpfs, type Tmpfs } from './tmpfs.ts';

/** How long to wait for a processor that never returns; enough for two retries. */
const RETRY_FOR_MS = 1500;

/** The service over a disk that can fail. Everything around it is a stub or a sample. */
export interface StorageBench {
  readonly disk: Tmpfs;
  readonly dms: SampleDms;
  readonly processor: StubProcessor;
  /** A new scan root with its own scanner; `changes` override addresses of its service. */
  readonly newCase: (changes?: Partial<ServiceAddresses>) => StorageCase;
  readonly close: () => Promise<void>;
}

export interface StorageCase {
  readonly root: string;
  readonly scanner: StubScanner;
  readonly start: () => Service;
  readonly remove: () => void;
}

export interface Service {
  readonly resume: (id: string, redelivery: Redelivery) => Promise<ScanResult>;
  /** `key` is the Idempotency-Key of the request. Without it, the request has none. */
  readonly scan: (key?: string) => Promise<ScanResult>;
  readonly hold: () => Promise<string>;
  readonly move: (id: string, to: 'end' | 'beginning') => Promise<unknown>;
  readonly archive: ReturnType<typeof createScanArchive>;
}

interface ServiceAddresses {
  readonly root: string;
  readonly processorUrl: string;
  readonly dmsUrl: string;
  readonly timeoutSeconds?: number;
}

const TOKEN = 'sentinel0123456789abcdef0123456789abcdef';

/** Size of the disk: a scan requires 128 MB free to start. */
const DISK = '160m';

/** A deadline far longer than a scan of two small pages takes on a busy machine. */
const FAR_SECONDS = 60;

export const SHEETS = 2;

export async function createStorageBench(): Promise<StorageBench> {
  const disk = await mountTmpfs(DISK);
  const store = await temporaryDirectory();
  const dms = await createSampleDms({ tokens: [TOKEN], storeDir: store.path });
  const processor = await createStubProcessor();
  return {
    disk,
    dms,
    processor,
    newCase: (changes = {}) => {
      const root = mkdtempSync(path.join(disk.path, 'case-'));
      const scanner = createStubScanner(SHEETS);
      const addresses = { root, processorUrl: processor.url, dmsUrl: dms.url, ...changes };
      let before: Service | undefined;
      return {
        root,
        scanner,
        start: () => {
          // Releases the lock, as the kernel does when a process dies.
          void before?.archive.close();
          before = startService(addresses, scanner);
          return before;
        },
        remove: () => rmSync(root, { recursive: true }),
      };
    },
    close: async () => {
      await Promise.all([dms.close(), processor.close()]);
      await disk.close();
      await store.remove();
    },
  };
}

/** One document per page, so that a scan has several deliveries. */
function profileOf({ root, dmsUrl, timeoutSeconds = FAR_SECONDS }: ServiceAddresses): Profile {
  return testProfile({
    name: 'default',
    assembly: { page_grouping: 'per_page' },
    paths: { output_dir: root },
    timeout_seconds: timeoutSeconds,
    destinations: [{ kind: 'dms', base_url: dmsUrl, token_secret: 'dms_api_token' }],
  });
}

function startService(addresses: ServiceAddresses, scanner: StubScanner): Service {
  const { log } = capturedLog();
  const profile = profileOf(addresses);
  const archive = createScanArchive({
    roots: () => [addresses.root],
    listener: () => {},
    log,
  });
  const processor = createProcessorClient({
    baseUrl: addresses.processorUrl,
    log,
    retryForMs: RETRY_FOR_MS,
  });
  const dms = createDms(() => Promise.resolve(TOKEN));
  const scans = createScans({ scanner, processor, dms }, archive, log);
  const identity = (key: string): CallIdentity => callIdentity(key, {});
  return {
    scan: (key) =>
      scans.scan({ profile, metadata: {} }, key === undefined ? undefined : identity(key)),
    hold: async () => (await scans.scan({ profile, metadata: {}, hold: true })).scan_id,
    move: (id, to) =>
      scans.editPage(
        id,
        1,
        to === 'end' ? { before: null, crop: CROP } : { before: 2, crop: null },
      ),
    resume: (id, redelivery) => scans.resume(id, { redelivery }),
    archive,
  };
}

/** Replaces the scanner runtime, whose file operations must not count. */
export interface StubScanner extends Omit<ScannerClient, 'health' | 'scan'> {
  health: ScannerClient['health'];
  scan: ScannerClient['scan'];
  sheets: number;
  readonly sheetsFed: () => number;
  /** Called after a page is stored, before the service receives it. */
  onSheet: (number: number) => void;
}

/** The crop of the first page while an edit has it at the end of the scan. */
export const CROP = { x: 0.1, y: 0.05, width: 0.5, height: 0.4, angle: 1.5 };

export const PAGE = tiffFile();

function createStubScanner(sheets: number): StubScanner {
  let fed = 0;
  const scanner: StubScanner = {
    ...playedParts().scanner,
    sheets,
    sheetsFed: () => fed,
    onSheet: () => {},
    scan: async (request, { onPage }) => {
      for (let sheet = 0; sheet < scanner.sheets; sheet += 1) {
        const number = request.first_page + sheet;
        const filename = pageName(number);
        writeFileSync(path.join(request.directory, filename), PAGE);
        fed += 1;
        scanner.onSheet(number);
        const size = { bytes: PAGE.length, width_px: 100, height_px: 60, dpi: 100, cropped: false };
        onPage({ number, sheet: request.first_sheet + sheet, side: 'front', filename, ...size });
        // As on a real scanner, feeding a sheet takes longer than recording its page.
        await turn();
      }
      return { device: request.device, duplex: false, page_count: scanner.sheets, warnings: [] };
    },
  };
  return scanner;
}
