import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunningScan, ScanRequest, FedStack } from '../../helpers/ipc/messages.ts';
import { Failure } from '../../helpers/failure.ts';
import type { PageFacts } from '../../helpers/page-facts.ts';
import type { PageOptions } from '../../helpers/processor-contract.ts';
import { pageNumber } from '../../service/archive/file-names.ts';
import type {
  AssembledDocument,
  ProcessorClient,
} from '../../service/processor/processor-client.ts';
import { createDms, type Dms } from '../../service/paperless/dms.ts';
import type { ScanParts } from '../../service/scan/scan.ts';
import type { ScanOptions, ScannerClient } from '../../service/scanner/scanner-client.ts';
import { tiffFile } from './fake-scanimage/tiff-file.ts';
import { PAGE_FACTS } from './page-facts.ts';

export type Feed = (request: ScanRequest, options: ScanOptions) => Promise<FedStack>;

export interface PartFaults {
  readonly feed?: Feed;
  readonly scanning?: () => RunningScan[];
  readonly recognize?: (pageFile: string, signal: AbortSignal) => Promise<void>;
  /** Facts by page number that differ from those of a page of text. */
  readonly facts?: (number: number) => Partial<PageFacts>;
  readonly assemble?: (outFile: string, signal: AbortSignal) => Promise<void>;
  readonly processorHealth?: () => Promise<void>;
  readonly processor?: (played: ProcessorClient) => Partial<ProcessorClient>;
  readonly dms?: (real: Dms) => Partial<Dms>;
}

const DEVICE = 'test:played';

export interface PlayedParts extends ScanParts {
  readonly fed: readonly ScanRequest[];
  readonly recognized: readonly string[];
  /** Names of the merged PDFs, by the name of the document or bundle they became. */
  readonly merged: ReadonlyMap<string, readonly string[]>;
}

/**
 * A scanner and a processor in this process, for tests that make them fail. Files are real; a
 * document contains one line per page. Without `feed`, the feeder is empty. As in the runtime, one
 * scan is fed at a time.
 */
export function playedParts(faults: PartFaults = {}): PlayedParts {
  const fed: ScanRequest[] = [];
  const recognized: string[] = [];
  const merged = new Map<string, string[]>();
  let feeding: RunningScan | undefined;
  const scanner: ScannerClient = {
    health: () => Promise.resolve(),
    scanning: () => Promise.resolve(faults.scanning?.() ?? (feeding ? [feeding] : [])),
    listDevices: () => Promise.reject(new Error('not expected')),
    checkScan: () => Promise.reject(new Error('not expected')),
    describeDevice: () => Promise.reject(new Error('not expected')),
    readSensors: () => Promise.reject(new Error('not expected')),
    scan: async (request, options) => {
      if (feeding !== undefined) {
        const facts = { busy_with: path.basename(feeding.directory), page_count: 0, warnings: [] };
        throw new Failure('scanner_busy', 'The scanner is busy.', { facts });
      }
      fed.push(request);
      feeding = { directory: request.directory, asked: request.device, device: DEVICE };
      try {
        return await (faults.feed ?? feedPages(0))(request, options);
      } finally {
        feeding = undefined;
      }
    },
    close: () => Promise.resolve(),
  };
  const processor: ProcessorClient = {
    health: async () => {
      await faults.processorHealth?.();
      const versions = { ocrmypdf: '1', tesseract: '1', ghostscript: '1', python: '1' };
      return { status: 'ok', workers: 2, languages: ['eng'], versions };
    },
    recognizePage: async ({ pageFile, outFile, options, signal }) => {
      recognized.push(path.basename(pageFile));
      await faults.recognize?.(pageFile, signal);
      const found = { ...PAGE_FACTS, ...faults.facts?.(pageNumber(path.basename(pageFile)) ?? 0) };
      const facts = { ...found, left_out: leftOut(found, options) };
      if (facts.left_out !== null) return { facts, warnings: [], file: null };
      const text = `${path.basename(pageFile)} ${sha256(await readFile(pageFile))}\n`;
      await writeFile(outFile, text);
      return { facts, warnings: [], file: { bytes: text.length, sha256: sha256(text) } };
    },
    assembleDocument: async ({ pdfs, outFile, options, signal }): Promise<AssembledDocument> => {
      merged.set(
        path.basename(outFile),
        pdfs.map((file) => path.basename(file)),
      );
      await faults.assemble?.(outFile, signal);
      const content = Buffer.concat(await Promise.all(pdfs.map((file) => readFile(file))));
      await writeFile(outFile, content);
      return {
        page_count: options.card_paper ? 1 : content.toString().split('\n').length - 1,
        bytes: content.length,
        sha256: sha256(content),
        warnings: [],
      };
    },
  };
  const dms = createDms(() => Promise.resolve('token'));
  return {
    scanner,
    processor: { ...processor, ...faults.processor?.(processor) },
    dms: { ...dms, ...faults.dms?.(dms) },
    fed,
    recognized,
    merged,
  };
}

/** Applies the processor's rule for leaving out a page. */
function leftOut(
  { codes, blank }: PageFacts,
  { separators = [], drop_blank = false }: PageOptions,
): PageFacts['left_out'] {
  if (codes.some(({ text }) => separators.includes(text))) return 'separator';
  return drop_blank && blank !== null && blank.score < 1 ? 'blank' : null;
}

/** Feeds a stack of `count` pages, then ends like an empty feeder or with `end`. */
export function feedPages(count: number, end?: Error): Feed {
  return feedSides(count, end, 1);
}

/** Feeds fronts and backs in turn, as a duplex source does. The last sheet may lack a back. */
export function feedDuplexPages(count: number, end?: Error): Feed {
  return feedSides(count, end, 2);
}

function feedSides(count: number, end: Error | undefined, sides: 1 | 2): Feed {
  return async (request, { onPage }) => {
    for (let index = 0; index < count; index += 1) {
      const number = request.first_page + index;
      const filename = `page-${String(number).padStart(4, '0')}.tif`;
      const content = tiffFile();
      await writeFile(path.join(request.directory, filename), content);
      const sheet = request.first_sheet + Math.floor(index / sides);
      const side = index % sides === 0 ? 'front' : 'back';
      const size = { bytes: content.length, width_px: 1, height_px: 1, dpi: 100, cropped: false };
      onPage({ number, sheet, side, filename, ...size });
    }
    if (end) throw end;
    if (count === 0) throw new Failure('no_documents', 'the feeder is empty');
    return { device: DEVICE, duplex: sides === 2, page_count: count, warnings: [] };
  };
}

/** Feeds one page, then waits for a call of `goOn`. */
export function heldFeed(): { feed: Feed; goOn: () => void } {
  const held = Promise.withResolvers<void>();
  return {
    goOn: () => held.resolve(),
    feed: async (request, options) => {
      const summary = await feedPages(1)(request, options);
      await held.promise;
      return summary;
    },
  };
}

export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
