import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { readTiff } from '../../../helpers/tiff-header.ts';
import { pageName, pageNumber } from '../../../service/archive/file-names.ts';
import { nativeProgramsLeft } from '../../support/native-programs.ts';
import { shippedPage } from '../../support/pages.ts';
import { readStoredRecord, type StoredRecord } from '../../support/stored-record.ts';
import { assert } from '../../support/suite.ts';
import { pageCountOf } from './dms-part.ts';
import { type Call, type FaultBench, SCAN_SECONDS } from './fault-bench.ts';

const GRACE_MS = 1000;

/** A page that is recognized almost instantly. */
export const BLANK_PAGE = shippedPage('blank-back-plain').file;

export interface StruckScan {
  readonly id: string | undefined;
  readonly call: Call;
  /** The service was killed, so its callers may have no answer. */
  readonly serviceKilled?: boolean;
}

/** After a restart, finishes the scan as a person would, then scans again. */
export async function checkAfter(bench: FaultBench, struck: StruckScan): Promise<void> {
  const { call, id, serviceKilled = false } = struck;
  const { appliance } = bench;
  await appliance.untilScannerFree();
  checkInTime(call);
  assert.ok(call.answer !== undefined || serviceKilled, 'the caller got no answer');
  const { sheetsLeft } = appliance.scanner.state;
  if (call.answer?.status === 200) assert.is(sheetsLeft, 0, 'sheets were left out silently');
  if (id !== undefined) await checkScan(bench, id);
  appliance.scanner.load([BLANK_PAGE]);
  const next = await bench.scan();
  assert.match(next.answer?.text ?? '', '"status":"submitted"', 'the next scan works');
  assert.equal(await nativeProgramsLeft(bench.directories), [], 'no program is left');
}

export function checkInTime({ ms }: Call): void {
  assert.ok(ms <= SCAN_SECONDS * 1000 + GRACE_MS, `the caller waited ${Math.round(ms)} ms`);
}

/** Ends a scan, and checks that every page is complete and in the DMS exactly once. */
export async function checkScan(bench: FaultBench, id: string): Promise<void> {
  const directory = path.join(bench.appliance.scansDir, id);
  const told = pagesTold(bench, id);
  const pages = await wholePages(directory, told);
  await finish(bench, id, pages.length);
  await readStoredRecord(directory);
  if (pages.length === 0) return;
  const kept = await wholePages(directory, [...told, ...pages]);
  const { documents } = await checkFiled(directory);
  const all = await bench.dms.documents();
  const stored = all.filter(({ original_file_name: name }) => name.startsWith(id));
  assert.equal(
    stored.map(({ original_file_name: name, sha256 }) => `${name} ${sha256}`).toSorted(),
    documents.map(({ filename, sha256 }) => `${id}-${filename} ${sha256}`),
    'the DMS has each document once, as it is on disk',
  );
  const counts = await Promise.all(stored.map(pageCountOf));
  assert.is(
    counts.reduce((sum, count) => sum + count, 0),
    kept.length,
    'the DMS has every page',
  );
}

/** Checks that the record of a finished scan names every page on disk, each in one document. */
export async function checkFiled(directory: string): Promise<StoredRecord> {
  const record = await readStoredRecord(directory);
  const names = await pagesOnDisk(directory);
  assert.equal(
    names.filter((name) => !record.pages.includes(name)),
    [],
    'an event names each page',
  );
  assert.equal(
    record.documents.flatMap(({ pages }) => pages).toSorted((a, b) => a - b),
    names.map(pageNumber),
    'each page is in one document',
  );
  return record;
}

async function pagesOnDisk(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  return names.filter((name) => pageNumber(name) !== undefined).toSorted();
}

/** Checks that pages are complete and include those logged as finished. Returns their names. */
async function wholePages(directory: string, told: readonly string[]): Promise<string[]> {
  const names = await pagesOnDisk(directory);
  const lost = told.filter((name) => !names.includes(name));
  assert.equal(lost, [], 'no page is lost that was told to be finished');
  for (const name of names) {
    const reading = await readTiff(path.join(directory, name));
    assert.ok(reading.complete, `${name} is not whole: ${JSON.stringify(reading)}`);
  }
  return names;
}

function pagesTold({ appliance }: FaultBench, id: string): string[] {
  const lines = appliance.service.output().split('\n');
  return lines
    .filter((line) => line.includes(id) && line.includes('"event":"scan_page"'))
    .map((line) => pageName((JSON.parse(line) as { page: number }).page));
}

/** Resumes a scan. Repeats an upload of unknown outcome if the DMS lacks the document. */
async function finish(bench: FaultBench, id: string, pages: number): Promise<void> {
  const { answer } = await bench.resume(id);
  if (pages === 0) {
    assert.is(answer?.json?.['error'], 'scan_not_resumable', answer?.text);
    return;
  }
  assert.is(answer?.status, 200, `resume: ${answer?.text}`);
  const { documents } = await readStoredRecord(path.join(bench.appliance.scansDir, id));
  const stored = new Set((await bench.dms.documents()).map((one) => one.original_file_name));
  const isMissing = documents.some(({ filename }) => !stored.has(`${id}-${filename}`));
  const inDoubt = documents.some(({ outcomes }) => outcomes.includes('unknown'));
  if (!isMissing || !inDoubt) return;
  const second = await bench.resume(id, { resend_unknown: true });
  assert.is(second.answer?.status, 200, `resume again: ${second.answer?.text}`);
}
