import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { RunningScan, ScanRequest, ScanSummary } from '../../helpers/ipc/messages.ts';
import { Failure } from '../../helpers/failure.ts';
import type {
  AssembledDocument,
  ProcessorClient,
} from '../../service/processor/processor-client.ts';
import type { ScanParts } from '../../service/scan/scan-call.ts';
import type { ScanOptions, ScannerClient } from '../../service/scanner/scanner-client.ts';
import { tiffFile } from './fake-scanimage/tiff-file.ts';

export type Feed = (request: ScanRequest, options: ScanOptions) => Promise<ScanSummary>;

/** What a test makes a part do instead. */
export interface PartFaults {
  readonly feed?: Feed;
  /** What the runtime still works on. */
  readonly scanning?: () => RunningScan[];
  readonly recognize?: (pageFile: string, signal: AbortSignal) => Promise<void>;
  readonly assemble?: (outFile: string, signal: AbortSignal) => Promise<void>;
  readonly processorHealth?: () => Promise<void>;
}

export interface PlayedParts extends ScanParts {
  /** What the scanner was asked for. */
  readonly fed: readonly ScanRequest[];
  /** Names of the pages that the processor was sent. */
  readonly recognized: readonly string[];
}

/**
 * Scanner and processor of a scan, played in this process, for tests that inject a fault between them: real files, no OCR. A
 * document holds what its pages hold, one line a page. The feeder is empty unless `feed` says otherwise.
 */
export function playedParts(faults: PartFaults = {}): PlayedParts {
  const fed: ScanRequest[] = [];
  const recognized: string[] = [];
  const scanner: ScannerClient = {
    health: () => Promise.resolve(),
    scanning: () => Promise.resolve(faults.scanning?.() ?? []),
    listDevices: () => Promise.reject(new Error('not expected')),
    describeDevice: () => Promise.reject(new Error('not expected')),
    scan: (request, options) => {
      fed.push(request);
      return (faults.feed ?? feedPages(0))(request, options);
    },
    close: () => Promise.resolve(),
  };
  const processor: ProcessorClient = {
    health: async () => {
      await faults.processorHealth?.();
      const versions = { ocrmypdf: '1', tesseract: '1', ghostscript: '1', python: '1' };
      return { status: 'ok', workers: 2, languages: ['eng'], versions };
    },
    recognizePage: async ({ pageFile, outFile, signal }) => {
      recognized.push(path.basename(pageFile));
      await faults.recognize?.(pageFile, signal);
      await writeFile(outFile, `${path.basename(pageFile)} ${sha256(await readFile(pageFile))}\n`);
      return { facts: { turned: 0, words: 1, characters: 1, confidence: 90 }, warnings: [] };
    },
    assembleDocument: async ({ pageFiles, outFile, signal }): Promise<AssembledDocument> => {
      await faults.assemble?.(outFile, signal);
      const pages = await Promise.all(pageFiles.map((file) => readFile(file)));
      const content = Buffer.concat(pages);
      await writeFile(outFile, content);
      return {
        page_count: pages.length,
        bytes: content.length,
        sha256: sha256(content),
        warnings: [],
      };
    },
  };
  return { scanner, processor, readSecret: () => Promise.resolve('token'), fed, recognized };
}

/** A stack of that many pages; the feeder then ends as an empty one does, or with `end`. */
export function feedPages(count: number, end?: Error): Feed {
  return async (request, { onPage }) => {
    for (let index = 0; index < count; index += 1) {
      const number = request.first_page + index;
      const filename = `page-${String(number).padStart(4, '0')}.tif`;
      const content = tiffFile();
      await writeFile(path.join(request.directory, filename), content);
      const place = { number, sheet: request.first_sheet + index, side: 'front' } as const;
      onPage({ ...place, filename, bytes: content.length, width_px: 1, height_px: 1, dpi: 100 });
    }
    if (end) throw end;
    if (count === 0) throw new Failure('no_documents', 'the feeder is empty');
    return { device: 'played', duplex: false, page_count: count, warnings: [] };
  };
}

/** Hexadecimal. */
export function sha256(content: Buffer | string): string {
  return createHash('sha256').update(content).digest('hex');
}
