import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { ScannedPage } from '../../helpers/ipc/messages.ts';
import { assembleDocuments } from './assemble-documents.ts';
import { deliverScan, type Redelivery } from './deliver-scan.ts';
import { isDuplex } from './group-pages.ts';
import { createRecognition, type Recognition } from './recognition.ts';
import { RECOGNIZED_DIRECTORY } from './recognized-page.ts';
import type { Scan, ScanParts } from './scan-call.ts';
import type { Stage } from './scan-record.ts';
import { findStoredPages, type StoredPage } from './stored-pages.ts';

/** Pages with the processor at once, for each of its workers: one being worked on, one waiting, so that none idles. */
const PAGES_PER_WORKER = 2;

export interface StagesOptions {
  /** Of the processor. */
  readonly workers: number;
  /** Pages that were safe before this call. */
  readonly kept: readonly StoredPage[];
}

export interface ScanStagesOptions extends StagesOptions {
  /** Number of the last page before those that are scanned now; 0 for a new scan. */
  readonly lastPage: number;
}

/**
 * Takes a scan through its stages: scan, process, deliver. Pages go to OCR while the feeder still runs; the stages are
 * one after the other all the same, for whoever looks. Rejects with what went wrong; the record then names what is safe.
 */
export async function runStages(
  scan: Scan,
  parts: ScanParts,
  { workers, kept, lastPage }: ScanStagesOptions,
): Promise<void> {
  await withRecognition(scan, parts, workers, async (recognition) => {
    for (const page of kept) recognition.add(page);
    const firstPage = pageAfter(lastPage, scan.profile.source);
    await timed(scan, 'scan', () => scanPages(scan, parts, { recognition, firstPage }));
    await processPages(scan, parts, recognition);
  });
  await deliver(scan, parts);
}

/** Takes a scan whose pages are all on disk through the stages that are left: process, deliver. */
export async function runStagesAfterScan(
  scan: Scan,
  parts: ScanParts,
  { workers, kept, redelivery }: StagesOptions & { readonly redelivery: Redelivery },
): Promise<void> {
  await withRecognition(scan, parts, workers, async (recognition) => {
    for (const page of kept) recognition.add(page);
    await processPages(scan, parts, recognition);
  });
  await deliver(scan, parts, redelivery);
}

/** The last stage. */
export async function deliver(
  scan: Scan,
  parts: ScanParts,
  redelivery?: Redelivery,
): Promise<void> {
  await scan.record.update({ state: 'delivering', stage: 'deliver' });
  await timed(scan, 'deliver', () => deliverScan(scan, parts, redelivery));
}

async function withRecognition(
  scan: Scan,
  parts: ScanParts,
  workers: number,
  use: (recognition: Recognition) => Promise<void>,
): Promise<void> {
  const recognition = createRecognition({
    processor: parts.processor,
    page: scan.profile.processing,
    directory: scan.directory,
    concurrency: Math.max(1, workers) * PAGES_PER_WORKER,
    signal: scan.deadline.signal,
    log: scan.log,
  });
  try {
    await use(recognition);
  } finally {
    await recognition.cancel();
  }
}

async function processPages(scan: Scan, parts: ScanParts, recognition: Recognition): Promise<void> {
  await scan.record.update({ state: 'processing', stage: 'process' });
  await timed(scan, 'process', () => makeDocuments(scan, parts, recognition));
}

/** Fronts keep odd numbers, also where the feeder stopped between the two sides of a sheet. */
function pageAfter(last: number, source: string | undefined): number {
  return isDuplex(source) && last % 2 === 1 ? last + 2 : last + 1;
}

async function scanPages(
  scan: Scan,
  parts: ScanParts,
  { recognition, firstPage }: { recognition: Recognition; firstPage: number },
): Promise<void> {
  const { profile, record, log } = scan;
  const recorded: Promise<void>[] = [];
  const onPage = (page: ScannedPage): void => {
    const pages = [...record.current().pages, page.filename];
    const written = record.update({ pages, page_count: pages.length });
    // A rejection that nobody waits for yet, the feeder runs on, would end the process.
    written.catch(() => {});
    recorded.push(written);
    log.info({ page: page.number, bytes: page.bytes }, 'page scanned');
    recognition.add(page);
  };
  const request = {
    device: profile.device,
    source: profile.source,
    mode: profile.mode,
    resolution: profile.resolution,
    page_size: profile.page_size,
    max_pages: profile.max_pages,
    scanner_options: profile.scanner_options,
    directory: scan.directory,
    first_page: firstPage,
    first_sheet: isDuplex(profile.source) ? Math.ceil(firstPage / 2) : firstPage,
  };
  try {
    const summary = await parts.scanner.scan(request, { signal: scan.deadline.signal, onPage });
    await Promise.all(recorded);
    await warn(scan, summary.warnings);
  } catch (error) {
    await Promise.all(recorded);
    await recordPagesOnDisk(scan);
    throw error;
  }
}

/** A runtime that dies may have finished a page without being able to tell. */
async function recordPagesOnDisk({ directory, record }: Scan): Promise<void> {
  const { pages } = await findStoredPages(directory, []);
  const names = pages.map(({ filename }) => filename);
  const unsaid = names.some((name) => !record.current().pages.includes(name));
  if (unsaid) await record.update({ pages: names, page_count: names.length });
}

async function makeDocuments(
  scan: Scan,
  parts: ScanParts,
  recognition: Recognition,
): Promise<void> {
  const pages = await recognition.finish();
  await warn(
    scan,
    pages.flatMap((page) => page.warnings),
  );
  await assembleDocuments(scan, parts, pages);
  // The documents hold all that was in them, and the raw pages stay.
  await rm(path.join(scan.directory, RECOGNIZED_DIRECTORY), { recursive: true, force: true });
}

/** Adds warnings to the record; a person reads them, so each says what to look at. */
export async function warn(scan: Scan, warnings: readonly string[]): Promise<void> {
  const told = scan.record.current().warnings;
  const fresh = warnings.filter((warning) => !told.includes(warning));
  if (fresh.length === 0) return;
  for (const warning of fresh) scan.log.warn(warning);
  await scan.record.update({ warnings: [...told, ...fresh] });
}

/** Runs a stage and records how long it took, however it ends. */
async function timed(scan: Scan, stage: Stage, run: () => Promise<void>): Promise<void> {
  const began = performance.now();
  try {
    await run();
  } finally {
    const timings = { ...scan.record.current().timings_ms };
    timings[stage] = Math.round(performance.now() - began);
    await scan.record.update({ timings_ms: timings });
  }
}
