import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { RecordedDocument, ScanRecord } from '../archive/scan-record.ts';
import type { ProcessorClient } from '../processor/processor-client.ts';
import { titleOf } from './document-titles.ts';
import { groupPages } from './group-pages.ts';
import { RECOGNIZED_DIRECTORY, recognizedFile } from './recognize.ts';
import type { Scan } from './scan.ts';
import { withTaskGroup } from './task-group.ts';

/** Documents that are assembled at once; assembly is short, more would only crowd out other work. */
const ASSEMBLIES_AT_ONCE = 2;

/**
 * Has the processor make the documents of a scan from its recognised pages, as the profile groups them. When this resolves
 * all are on disk, synced and recorded: nothing is delivered before. When it rejects, no assembly is under way.
 */
export async function assemble(scan: Scan, processor: ProcessorClient): Promise<void> {
  const documents = planDocuments(scan.record());
  await scan.append({ type: 'documents', documents });
  await withTaskGroup(scan.deadline.signal, ASSEMBLIES_AT_ONCE, ({ signal, run }) => {
    for (const [index, document] of documents.entries()) {
      run(() => assembleOne(scan, { index, document, processor, signal }));
    }
  });
  // The documents hold all that was in them, and the raw pages stay.
  await rm(path.join(scan.directory, RECOGNIZED_DIRECTORY), { recursive: true, force: true });
}

type PlannedDocument = Pick<RecordedDocument, 'filename' | 'pages' | 'title'>;

/** Throws when a page would be in no document, or in two: that is a bug, and then nothing may be delivered. */
function planDocuments(record: ScanRecord): PlannedDocument[] {
  const counted = record.pages.filter(({ replaced }) => replaced === undefined);
  const groups = groupPages(counted, record.settings.assembly.page_grouping);
  const grouped = groups.flat();
  const numbers = counted.map(({ number }) => number);
  if (String(grouped) !== String(numbers)) {
    throw new Error(`pages ${String(numbers)} were grouped as ${JSON.stringify(groups)}`);
  }
  return groups.map((pages, index) => ({
    filename: `document-${String(index + 1).padStart(4, '0')}.pdf`,
    pages,
    title: titleOf(record, index + 1, groups.length),
  }));
}

interface Assembly {
  readonly index: number;
  readonly document: PlannedDocument;
  readonly processor: ProcessorClient;
  readonly signal: AbortSignal;
}

async function assembleOne(
  scan: Scan,
  { index, document, processor, signal }: Assembly,
): Promise<void> {
  const { pages, settings } = scan.record();
  const own = pages.filter(({ number }) => document.pages.includes(number));
  const made = await processor.assembleDocument({
    pageFiles: own.map((page) => recognizedFile(scan.directory, page)),
    outFile: path.join(scan.directory, document.filename),
    options: { ...settings.processing, title: document.title },
    signal,
    log: scan.log,
  });
  if (made.page_count !== document.pages.length) {
    throw new Error(`${document.filename} has ${made.page_count} pages`);
  }
  await scan.append({
    type: 'assembled',
    document: index,
    bytes: made.bytes,
    sha256: made.sha256,
    warnings: made.warnings.map((warning) => `${document.filename}: ${warning}`),
  });
}
