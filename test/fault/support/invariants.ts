import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readTiff } from '../../../helpers/tiff-header.ts';
import { EVENT_FILE } from '../../../service/archive/event-file.ts';
import { pageNumber } from '../../../service/archive/file-names.ts';
import type { StoredDocument } from '../../../simulators/sample-dms/library.ts';
import { shippedPage } from '../../support/pages.ts';
import { readStoredRecord, type StoredRecord } from '../../support/stored-record.ts';
import { pageCountOf } from './dms-part.ts';
import { type Call, type FaultBench, SCAN_SECONDS, SECRETS } from './fault-bench.ts';
import { nativeProgramsLeft } from '../../support/native-programs.ts';

/**
 * What holds after every fault. Each check resolves with what is broken, one sentence each; nothing when all is well.
 */

/** A text that was seen, and where. */
export interface SeenText {
  readonly where: string;
  readonly text: string;
}

/** Milliseconds after the deadline until which a caller is promised its answer. */
const GRACE_MS = 1000;

/** Names of the pages in a scan directory. */
async function pagesOnDisk(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  return names.filter((name) => pageNumber(name) !== undefined).toSorted();
}

/** Every page that was told to be finished is on disk, and every one on disk is whole. */
async function brokenPages(directory: string, told: readonly string[]): Promise<string[]> {
  const names = await pagesOnDisk(directory);
  const lost = told.filter((name) => !names.includes(name)).map((name) => `${name} is lost`);
  const readings = await Promise.all(names.map((name) => readTiff(path.join(directory, name))));
  const damaged = readings.flatMap((reading, index) =>
    reading.complete ? [] : `${names[index]} is not whole: ${reading.reason}`,
  );
  return [...lost, ...damaged];
}

/** The events are some that the product itself believes. */
async function brokenRecord(directory: string): Promise<string[]> {
  return readStoredRecord(directory).then(
    () => [],
    (error: unknown) => [error instanceof Error ? error.message : 'the events are unreadable'],
  );
}

/** The record of a scan that was brought to its end names every page on disk, and every page is in one document. */
export async function brokenAccount(directory: string): Promise<string[]> {
  const record = await readStoredRecord(directory);
  const names = await pagesOnDisk(directory);
  const unnamed = names.filter((name) => !record.pages.includes(name));
  const filed = record.documents.flatMap(({ pages }) => pages);
  const unfiled = names.filter(
    (name) => filed.filter((page) => page === pageNumber(name)).length !== 1,
  );
  return [
    ...unnamed.map((name) => `no event names ${name}`),
    ...unfiled.map((name) => `${name} is not in exactly one document`),
  ];
}

/** The DMS has no document of the scan twice, and none with other bytes than those on disk. */
function brokenDeliveries(record: StoredRecord, stored: readonly StoredDocument[]): string[] {
  const own = stored.filter(({ original_file_name: name }) => name.startsWith(record.scan_id));
  return own.flatMap(({ original_file_name: name, sha256 }) => {
    const made = record.documents.find(({ filename }) => name === `${record.scan_id}-${filename}`);
    const copies = own.filter((other) => other.original_file_name === name).length;
    return [
      ...(copies > 1 ? [`${name} is in the DMS ${copies} times`] : []),
      ...(made?.sha256 === sha256 ? [] : [`${name} in the DMS is not the document on disk`]),
    ];
  });
}

/** Every document of the scan is in the DMS. */
function missingDeliveries(record: StoredRecord, stored: readonly StoredDocument[]): string[] {
  const names = stored.map(({ original_file_name: name }) => name);
  return record.documents
    .map(({ filename }) => `${record.scan_id}-${filename}`)
    .filter((name) => !names.includes(name))
    .map((name) => `${name} is not in the DMS`);
}

/** No secret is in what was seen, as it is or in a form that it could slip out in. */
function leakedSecrets(seen: readonly SeenText[], secrets: readonly string[]): string[] {
  return seen.flatMap(({ where, text }) =>
    secrets
      .flatMap(formsOf)
      .flatMap((form) => (text.includes(form) ? `${form} is in ${where}` : [])),
  );
}

function formsOf(secret: string): string[] {
  const bytes = Buffer.from(secret);
  return [
    secret,
    bytes.toString('base64').replaceAll('=', ''),
    bytes.toString('hex'),
    encodeURIComponent(secret),
  ];
}

/** The caller had its answer in time; without one, its connection broke in time. */
export function lateAnswer(ms: number, deadlineSeconds: number): string[] {
  const latest = deadlineSeconds * 1000 + GRACE_MS;
  return ms <= latest ? [] : [`the caller waited ${Math.round(ms)} ms, not at most ${latest}`];
}

/** Text of the events, for the search for secrets. */
async function recordText(directory: string): Promise<SeenText> {
  return { where: EVENT_FILE, text: await readFile(path.join(directory, EVENT_FILE), 'utf8') };
}

/** A page that is recognised in no time. */
export const BLANK_PAGE = shippedPage('blank-back-plain').file;

/** A scan that a fault struck. */
export interface StruckScan {
  /** Undefined when no scan was begun. */
  readonly id: string | undefined;
  readonly call: Call;
  /** The service itself was killed, so that its callers could not be answered. */
  readonly serviceKilled?: boolean;
  /** `false` where the caller goes on with a scan of its own. */
  readonly nextScan?: boolean;
}

/**
 * Checks every invariant after a fault, when all parts run again: picks the scan up as a person would, and scans once more.
 * Resolves with what is broken, one sentence each.
 */
export async function brokenAfter(bench: FaultBench, struck: StruckScan): Promise<string[]> {
  const { call, id, serviceKilled = false, nextScan = true } = struck;
  await bench.appliance.untilScannerFree();
  const broken = lateAnswer(call.ms, SCAN_SECONDS);
  if (!call.answer && !serviceKilled) broken.push('the caller got no answer');
  const { sheetsLeft } = bench.appliance.scanner.state;
  if (call.answer?.status === 200 && sheetsLeft > 0) broken.push('sheets were left out silently');
  if (id !== undefined) broken.push(...(await brokenScan(bench, id)));
  if (nextScan) broken.push(...(await brokenNextScan(bench)));
  broken.push(...(await nativeProgramsLeft(bench.directories)).map((one) => `${one} lives`));
  bench.lookAtProcesses();
  broken.push(...leakedSecrets(bench.takeSeen(), SECRETS));
  return broken;
}

/** Checks a scan, and brings it to its end. */
async function brokenScan(bench: FaultBench, id: string): Promise<string[]> {
  const directory = path.join(bench.appliance.scansDir, id);
  const told = pagesTold(bench, id);
  const broken = [...(await brokenPages(directory, told)), ...(await brokenRecord(directory))];
  if (broken.length > 0) return broken;
  const pages = await pagesOnDisk(directory);
  broken.push(...(await brokenResume(bench, id, pages.length)));
  const seen = await recordText(directory);
  broken.push(...leakedSecrets([seen], SECRETS), ...(await brokenRecord(directory)));
  if (pages.length === 0 || broken.length > 0) return broken;
  const record = await readStoredRecord(directory);
  const stored = await bench.dms.documents();
  return [
    ...(await brokenPages(directory, [...told, ...pages])),
    ...(await brokenAccount(directory)),
    ...brokenDeliveries(record, stored),
    ...missingDeliveries(record, stored),
    ...(await brokenPageCount(record, stored, pages.length)),
  ];
}

/** Names of the pages that the service has told its log to be finished. */
function pagesTold({ appliance }: FaultBench, id: string): string[] {
  return appliance.service
    .output()
    .split('\n')
    .filter((line) => line.includes(id) && line.includes('"event":"scan_page"'))
    .map((line) => (JSON.parse(line) as { page: number }).page)
    .map((page) => `page-${String(page).padStart(4, '0')}.tif`);
}

/** Resumes a scan; an upload of which nobody knows is made again when the DMS does not have it. */
async function brokenResume(bench: FaultBench, id: string, pages: number): Promise<string[]> {
  const first = await bench.resume(id);
  if (pages === 0) {
    const error = first.answer?.json?.['error'];
    return error === 'scan_not_resumable' ? [] : [`resume without a page: ${first.answer?.text}`];
  }
  if (first.answer?.status !== 200) return [`resume: ${first.answer?.text}`];
  const record = await readStoredRecord(path.join(bench.appliance.scansDir, id));
  const inDoubt = record.documents.some(({ outcomes }) => outcomes.includes('unknown'));
  const missing = missingDeliveries(record, await bench.dms.documents());
  if (!inDoubt || missing.length === 0) return [];
  const second = await bench.resume(id, { resend_unknown: true });
  return second.answer?.status === 200 ? [] : [`resume again: ${second.answer?.text}`];
}

async function brokenPageCount(
  { scan_id }: StoredRecord,
  stored: readonly StoredDocument[],
  expected: number,
): Promise<string[]> {
  const own = stored.filter(({ original_file_name: name }) => name.startsWith(scan_id));
  const counts = await Promise.all(own.map(pageCountOf));
  const count = counts.reduce((sum, pages) => sum + pages, 0);
  return count === expected ? [] : [`the DMS has ${count} pages of ${expected}`];
}

/** The next scan works without help. */
async function brokenNextScan(bench: FaultBench): Promise<string[]> {
  bench.appliance.scanner.load([BLANK_PAGE]);
  const { answer } = await bench.scan();
  const submitted = answer?.status === 200 && answer.text.includes('"status":"submitted"');
  return submitted ? [] : [`the next scan: ${answer?.text}`];
}
