import { readdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../helpers/failure.ts';
import { PAGE_SIZES } from '../../../helpers/paper.ts';
import type { DocumentOptions } from '../../../helpers/processor-contract.ts';
import { warning } from '../../../helpers/warnings.ts';
import { DOCUMENT_NAME, RECOGNIZED_DIRECTORY } from '../../archive/file-names.ts';
import { planDocuments, type DocumentPlan } from '../../documents/plan-documents.ts';
import type { ScanRecord } from '../../archive/scan-record.ts';
import type { Assembly } from '../../profiles/profile.ts';
import type { ProcessorClient } from '../../processor/processor-client.ts';
import type { Bundles } from './bundles.ts';
import type { Scan } from '../scan.ts';
import { withTaskGroup } from './task-group.ts';

/** Assembly is short, and more at once would slow down other work. */
const ASSEMBLIES_AT_ONCE = 2;

/**
 * When this resolves, all documents are durable and recorded. When it rejects, no assembly is
 * running. Throws Failure `only_blank_pages` if no page is left.
 */
export async function assemble(
  scan: Scan,
  processor: ProcessorClient,
  bundles: Bundles,
): Promise<void> {
  const plan = planDocuments(scan.record());
  await scan.append({ type: 'documents', ...plan });
  const { documents } = plan;
  await removeStaleDocuments(scan, documents);
  if (documents.length === 0) throw onlyBlankPages(scan.record());
  await withTaskGroup(scan.deadline.signal, ASSEMBLIES_AT_ONCE, ({ signal, run }) => {
    for (const [index, document] of documents.entries()) {
      run(() => assembleOne(scan, { index, document, processor, bundles, signal }));
    }
  });
  await rm(path.join(scan.directory, RECOGNIZED_DIRECTORY), { recursive: true, force: true });
}

type PlannedDocument = DocumentPlan['documents'][number];

/** Removes documents of an earlier plan, which could be mistaken for current ones. */
async function removeStaleDocuments(
  { directory, log }: Scan,
  documents: readonly PlannedDocument[],
): Promise<void> {
  const planned = new Set(documents.map(({ filename }) => filename));
  const names = (await readdir(directory)).filter((name) => DOCUMENT_NAME.test(name));
  for (const name of names.filter((name) => !planned.has(name))) {
    await rm(path.join(directory, name), { force: true });
    log.info({ event: 'stale_document_removed', document: name });
  }
}

interface AssemblyJob {
  readonly index: number;
  readonly document: PlannedDocument;
  readonly processor: ProcessorClient;
  readonly bundles: Pick<Bundles, 'filesOf'>;
  readonly signal: AbortSignal;
}

/** Throws an Error if the PDF does not have the expected pages. */
export async function assembleOne(
  scan: Scan,
  { index, document, processor, bundles, signal }: AssemblyJob,
): Promise<void> {
  const { pages, settings } = scan.record();
  const own = document.pages.flatMap((number) => pages.filter((page) => page.number === number));
  const card = cardPaper(settings.assembly);
  const made = await processor.assembleDocument({
    pdfs: bundles.filesOf(own),
    pageCount: own.length,
    outFile: path.join(scan.directory, document.filename),
    options: { ...settings.processing, title: document.title, ...card },
    signal,
    log: scan.log,
  });
  const isOnePage = made.page_count === 1 && card !== undefined;
  if (made.page_count !== own.length && !isOnePage) {
    throw new Error(`${document.filename} has ${made.page_count} pages`);
  }
  const warnings = card && !isOnePage ? [warning('card_too_large', {})] : [];
  await scan.append({
    type: 'assembled',
    document: index,
    bytes: made.bytes,
    sha256: made.sha256,
    ...(isOnePage && { page_count: 1 }),
    warnings: [...made.warnings, ...warnings].map((text) => `${document.filename}: ${text}`),
  });
}

function cardPaper({
  page_grouping,
  card_paper,
}: Assembly): Pick<DocumentOptions, 'card_paper'> | undefined {
  return page_grouping === 'card' ? { card_paper: PAGE_SIZES.get(card_paper) } : undefined;
}

function onlyBlankPages({
  scan_id,
  dropped_pages: dropped,
}: Pick<ScanRecord, 'scan_id' | 'dropped_pages'>): Failure {
  const hasBlank = dropped.some(({ reason }) => reason === 'blank');
  const hasSeparators = dropped.some(({ reason }) => reason === 'separator');
  const hasLeftOut = dropped.some(({ reason }) => reason === 'person');
  const found = [
    hasBlank && 'blank pages',
    hasSeparators && 'separator sheets',
    hasLeftOut && 'pages that were left out',
  ];
  const advice = hasBlank
    ? `Check that the printed side faces the scanner. POST {"keep_blank_pages": true} to /scans/${scan_id}/resume files the blank pages anyway`
    : 'Put the paper to be filed into the feeder';
  return new Failure(
    'only_blank_pages',
    `The stack has only ${found.filter(Boolean).join(' and ')}, so there is no document. ${advice}; ` +
      `POST /scan with {"continue_scan": "${scan_id}"} scans more paper into the same scan.`,
    { facts: { dropped_pages: dropped } },
  );
}
