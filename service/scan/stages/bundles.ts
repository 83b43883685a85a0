import { RECOGNIZED_DIRECTORY } from '../../archive/file-names.ts';
import path from 'node:path';
import type { RecordedPage, ScanRecord } from '../../archive/scan-record.ts';
import { droppedPages } from '../../documents/dropped-pages.ts';
import { sheetsOf } from '../../archive/sheets.ts';
import type { ProcessorClient } from '../../processor/processor-client.ts';
import { recognizedFile } from './recognize.ts';
import type { Scan } from '../scan.ts';

/** Pages per bundle. Leaves few files to merge at the end, and few pages outside a bundle. */
const BUNDLE_PAGES = 20;

/** Merges pages during the scan. To merge 200 single-page PDFs at the end takes too long. */
export interface Bundles {
  /**
   * Merges the bundle that this page completes. A failure only costs time. Rejects when aborted.
   */
  readonly complete: (page: number) => Promise<void>;
  /** Returns PDFs that contain these pages in order: bundles and single pages. */
  readonly filesOf: (pages: readonly RecordedPage[]) => string[];
}

interface Bundle {
  readonly file: string;
  /** The pages as recorded when the bundle was made. */
  readonly pages: readonly RecordedPage[];
}

/** Bundles last for one call. Their files are removed with the directory of recognized pages. */
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

/** The pages of the bundle from `first`. Empty unless all are recognized and more pages follow. */
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

/** True if the pages begin with the bundle's, and none was recognized again. */
function startsWith(pages: readonly RecordedPage[], bundle: Bundle): boolean {
  return bundle.pages.every(({ recognized }, index) => pages[index]?.recognized === recognized);
}
