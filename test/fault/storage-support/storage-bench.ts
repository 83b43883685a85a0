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

/** A processor that is gone for good is waited for so long; enough for two tries more. */
const PATIENCE_MS = 1500;

/** The service's own modules over a disk that can be made to fail; what is around them is stubbed or a sample. */
export interface StorageBench {
  readonly disk: Tmpfs;
  readonly dms: SampleDms;
  readonly processor: StubProcessor;
  /** A new scan directory root on the disk, and a scanner of its own; `changes` lead its service elsewhere. */
  readonly newCase: (changes?: Partial<ServiceAddresses>) => StorageCase;
  readonly close: () => Promise<void>;
}

/** One scan directory root, which may see several lives of a service. */
export interface StorageCase {
  readonly root: string;
  readonly scanner: StubScanner;
  /** A service that has just begun, knowing only what is on disk. */
  readonly start: () => Service;
  /** Removes the root. */
  readonly remove: () => void;
}

export interface Service {
  readonly resume: (id: string, redelivery: Redelivery) => Promise<ScanResult>;
  /** With the key that all first calls of a case have; without one when `key` is given as undefined. */
  readonly scan: (key?: string) => Promise<ScanResult>;
  /** Scans and holds; gives the id. */
  readonly hold: () => Promise<string>;
  /** Moves the first page of a held scan to its end, or back to its beginning. */
  readonly move: (id: string, to: 'end' | 'beginning') => Promise<unknown>;
  readonly archive: ReturnType<typeof createScanArchive>;
}

/** Where the service's parts are. */
interface ServiceAddresses {
  readonly root: string;
  readonly processorUrl: string;
  readonly dmsUrl: string;
  /** Deadline of a call; far away when left out. */
  readonly timeoutSeconds?: number;
}

const TOKEN = 'sentinel0123456789abcdef0123456789abcdef';

/** What the disk has when nothing is taken of it: a scan needs 128 MB to begin with. */
const DISK = '160m';

/** Far longer than a scan of two small pages takes, on a machine that is busy. */
const FAR_SECONDS = 60;

/** Sheets in the feeder at every scan. */
export const SHEETS = 2;

/** Mounts the disk and starts what is around the service. */
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
          // As the kernel does with the lock of a process that is dead, before the next one looks at it.
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

/** A document for each page, so that a scan has several deliveries. */
function profileOf({ root, dmsUrl, timeoutSeconds = FAR_SECONDS }: ServiceAddresses): Profile {
  return testProfile({
    name: 'default',
    assembly: { page_grouping: 'per_page' },
    paths: { output_dir: root },
    timeout_seconds: timeoutSeconds,
    destinations: [{ kind: 'dms', base_url: dmsUrl, token_secret: 'dms_api_token' }],
  });
}

/** The service without its HTTP interface, over the scan directories below `root`. */
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
    patienceMs: PATIENCE_MS,
  });
  const dms = createDms(() => Promise.resolve(TOKEN));
  const scans = createScans({ scanner, processor, dms }, archive, log);
  const identity = (key: string): CallIdentity => callIdentity(key, {});
  return {
    scan: (key) =>
      scans.scan({ profile, metadata: {} }, key === undefined ? undefined : identity(key)),
    hold: async () => (await scans.scan({ profile, metadata: {}, hold: true })).scan_id,
    move: (id, to) => scans.editPage(id, 1, { before: to === 'end' ? null : 2 }),
    resume: (id, redelivery) => scans.resume(id, { redelivery }),
    archive,
  };
}

/** What stands in for the scanner runtime: another process, whose own file operations are not the service's. */
export interface StubScanner extends Omit<ScannerClient, 'health' | 'scan'> {
  health: ScannerClient['health'];
  scan: ScannerClient['scan'];
  /** Sheets in the feeder when a scan begins. */
  sheets: number;
  /** Sheets that were fed, over all scans. */
  readonly sheetsFed: () => number;
  /** Called when a page is on disk, before the service is told. */
  onSheet: (number: number) => void;
}

/** Bytes of a page's file. */
export const PAGE = tiffFile();

/** A scanner whose feeder holds that many sheets in each scan. */
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
        // The feeder takes longer than the service takes to note a page.
        await turn();
      }
      return { device: request.device, duplex: false, page_count: scanner.sheets, warnings: [] };
    },
  };
  return scanner;
}
