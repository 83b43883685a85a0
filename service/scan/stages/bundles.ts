import { RECOGNIZED_DIRECTORY } from '../../archive/file-names.ts';
import path from 'node:path';
import type { RecordedPage, ScanRecord } from '../../archive/scan-record.ts';
import { droppedPages } from '../../documents/dropped-pages.ts';
import { sheetsOf } from '../../archive/sheets.ts';
import type { ProcessorClient } from '../../processor/processor-client.ts';
import { recognizedFile } from './recognize.ts';
import type { Scan } from '../scan.ts';

/** A bundle this large leaves few files for the last step, and few pages that are in none when it comes. */
const BUNDLE_PAGES = 20;

/**
 * Pages that are merged while others are still scanned or recognised: sending and opening 200 PDFs of one page takes longer than
 * all else that is done for a document after its last page.
 */
export interface Bundles {
  /**
   * To be called when a page is recognised. Has the bundle made that is complete with it, unless nothing is left to wait for. A
   * bundle that cannot be made is done without; rejects with the reason of the signal only.
   */
  readonly complete: (page: number) => Promise<void>;
  /** PDFs that together hold these pages, in this order: bundles of what has not been recognised anew since, and single pages. */
  readonly filesOf: (pages: readonly RecordedPage[]) => string[];
}

interface Bundle {
  readonly file: string;
  /** As they were recorded when it was made. */
  readonly pages: readonly RecordedPage[];
}

/** Bundles of the pages of one call of a scan. Their files are in the directory of the recognised pages, and go with it. */
export function createBundles(
  { directory, record, log }: Pick<Scan, 'directory' | 'record' | 'log'>,
  processor: ProcessorClient,
  signal: AbortSignal,
): Bundles {
  const begun = new Set<number>();
  const bundles: Bundle[] = [];

  async function complete(page: number): Promise<void> {
    const first = page - ((page - 1) % BUNDLE_PAGES);
    const pages = begun.has(first) ? [] : pagesToBundle(record(), first);
    if (pages.length < 2) return;
    begun.add(first);
    const name = `bundle-${String(first).padStart(4, '0')}.pdf`;
    const file = path.join(directory, RECOGNIZED_DIRECTORY, name);
    try {
      await processor.assembleDocument({
        pdfs: pages.map((own) => recognizedFile(directory, own)),
        pageCount: pages.length,
        outFile: file,
        options: { title: '', output_type: 'pdf' },
        signal,
        log,
      });
      bundles.push({ file, pages });
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ event: 'bundle_failed', err: error, file: name }, 'pages were not merged ahead');
    }
  }

  function filesOf(pages: readonly RecordedPage[]): string[] {
    const files: string[] = [];
    for (let left = pages; left[0] !== undefined;) {
      const [page] = left;
      const bundle = bundles.find((made) => startsWith(left, made));
      files.push(bundle?.file ?? recognizedFile(directory, page));
      left = left.slice(bundle?.pages.length ?? 1);
    }
    return files;
  }

  return { complete, filesOf };
}

/** The pages of the bundle that begins with this number; none unless all are recognised, others are not, and they go into one document. */
function pagesToBundle(record: ScanRecord, first: number): RecordedPage[] {
  const { assembly } = record.settings;
  if (record.hold || record.backs || assembly.page_grouping !== 'combined') return [];
  const wanted = record.pages.filter(({ replaced, left_out }) => !replaced && !left_out);
  const own = wanted.filter(({ number }) => number >= first && number < first + BUNDLE_PAGES);
  const isComplete = own.length === BUNDLE_PAGES && own.every(({ recognized }) => recognized);
  const goesOn = record.state === 'scanning' || wanted.some(({ recognized }) => !recognized);
  if (!isComplete || !goesOn) return [];
  const sheets = sheetsOf(own);
  const dropped = new Set(droppedPages(sheets, assembly).map(({ page }) => page));
  return sheets.flat().filter(({ number }) => !dropped.has(number));
}

/** Whether these pages begin with those of the bundle, recognised as they were: each recognition is recorded as an object of its own. */
function startsWith(pages: readonly RecordedPage[], bundle: Bundle): boolean {
  return bundle.pages.every(({ recognized }, index) => pages[index]?.recognized === recognized);
}
