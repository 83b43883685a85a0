import { rm } from 'node:fs/promises';
import path from 'node:path';
import type { ScannedPage } from '../../helpers/ipc/messages.ts';
import { assembleDocuments } from './assemble-documents.ts';
import { deliverScan } from './deliver-scan.ts';
import {
  createRecognition,
  RECOGNIZED_DIRECTORY,
  type Recognition,
  type RecognizedPage,
} from './recognition.ts';
import type { Scan, ScanParts } from './scan-call.ts';
import type { Stage } from './scan-record.ts';

/** Pages with the processor at once, for each of its workers: one being worked on, one waiting, so that none idles. */
const PAGES_PER_WORKER = 2;

/**
 * Takes a scan through its stages: scan, process, deliver. Pages go to OCR while the feeder still runs; the stages are
 * one after the other all the same, for whoever looks. Rejects with what went wrong; the record then names what is safe.
 */
export async function runStages(scan: Scan, parts: ScanParts, workers: number): Promise<void> {
  const recognition = createRecognition({
    processor: parts.processor,
    page: scan.profile.processing,
    directory: scan.directory,
    concurrency: Math.max(1, workers) * PAGES_PER_WORKER,
    signal: scan.deadline.signal,
    log: scan.log,
  });
  try {
    await timed(scan, 'scan', () => scanPages(scan, parts, recognition));
    await scan.record.update({ state: 'processing', stage: 'process' });
    await timed(scan, 'process', () => makeDocuments(scan, parts, recognition));
    await scan.record.update({ state: 'delivering', stage: 'deliver' });
    await timed(scan, 'deliver', () => deliverScan(scan, parts));
  } finally {
    await recognition.cancel();
  }
}

async function scanPages(scan: Scan, parts: ScanParts, recognition: Recognition): Promise<void> {
  const { profile, record, log } = scan;
  const recorded: Promise<void>[] = [];
  const onPage = (page: ScannedPage): void => {
    const pages = [...record.current().pages, page.filename];
    recorded.push(record.update({ pages, page_count: pages.length }));
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
    first_page: 1,
  };
  try {
    const summary = await parts.scanner.scan(request, { signal: scan.deadline.signal, onPage });
    await warn(scan, summary.warnings);
  } finally {
    await Promise.all(recorded);
  }
}

async function makeDocuments(
  scan: Scan,
  parts: ScanParts,
  recognition: Recognition,
): Promise<void> {
  const pages: RecognizedPage[] = await recognition.finish();
  await warn(
    scan,
    pages.flatMap((page) => page.warnings),
  );
  await assembleDocuments(scan, parts, pages);
  // The documents hold all that was in them, and the raw pages stay.
  await rm(path.join(scan.directory, RECOGNIZED_DIRECTORY), { recursive: true, force: true });
}

/** Adds warnings to the record; a person reads them, so each says what to look at. */
async function warn(scan: Scan, warnings: readonly string[]): Promise<void> {
  if (warnings.length === 0) return;
  for (const warning of warnings) scan.log.warn(warning);
  await scan.record.update({ warnings: [...scan.record.current().warnings, ...warnings] });
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
