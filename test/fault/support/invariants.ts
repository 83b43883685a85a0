import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { readTiff } from '../../../helpers/tiff-header.ts';
import { EVENT_FILE } from '../../../service/archive/event-file.ts';
import { pageNumber } from '../../../service/archive/file-names.ts';
import { readStoredRecord, type StoredRecord } from '../../support/stored-record.ts';
import type { StoredDocument } from '../../../simulators/sample-dms/library.ts';

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
export async function pagesOnDisk(directory: string): Promise<string[]> {
  const names = await readdir(directory);
  return names.filter((name) => pageNumber(name) !== undefined).toSorted();
}

/** Every page that was told to be finished is on disk, and every one on disk is whole. */
export async function brokenPages(directory: string, told: readonly string[]): Promise<string[]> {
  const names = await pagesOnDisk(directory);
  const lost = told.filter((name) => !names.includes(name)).map((name) => `${name} is lost`);
  const readings = await Promise.all(names.map((name) => readTiff(path.join(directory, name))));
  const damaged = readings.flatMap((reading, index) =>
    reading.complete ? [] : `${names[index]} is not whole: ${reading.reason}`,
  );
  return [...lost, ...damaged];
}

/** The events are some that the product itself believes. */
export async function brokenRecord(directory: string): Promise<string[]> {
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
export function brokenDeliveries(
  record: StoredRecord,
  stored: readonly StoredDocument[],
): string[] {
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
export function missingDeliveries(
  record: StoredRecord,
  stored: readonly StoredDocument[],
): string[] {
  const names = stored.map(({ original_file_name: name }) => name);
  return record.documents
    .map(({ filename }) => `${record.scan_id}-${filename}`)
    .filter((name) => !names.includes(name))
    .map((name) => `${name} is not in the DMS`);
}

/** No secret is in what was seen, as it is or in a form that it could slip out in. */
export function leakedSecrets(seen: readonly SeenText[], secrets: readonly string[]): string[] {
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
export async function recordText(directory: string): Promise<SeenText> {
  return { where: EVENT_FILE, text: await readFile(path.join(directory, EVENT_FILE), 'utf8') };
}
