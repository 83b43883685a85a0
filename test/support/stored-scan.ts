import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { EVENT_FILE } from '../../service/archive/event-file.ts';
import { fold, foldFirst } from '../../service/archive/fold.ts';
import type { NewScanEvent, ScanEvent } from '../../service/archive/scan-event.ts';
import type { Delivery } from '../../service/paperless/destination.ts';
import type { ScanRecord } from '../../service/archive/scan-record.ts';
import type { Profile } from '../../service/profiles/profile.ts';
import { sha256 } from './scan-parts.ts';
import { tiffFile } from './fake-scanimage/tiff-file.ts';
import { testProfile } from './test-profile.ts';
import { PAGE_FACTS } from './page-facts.ts';

export const STORED_ID = '20261121T063000Z-8f3a1c';

const DOCUMENT = '%PDF-1.7 a document';

/** The start of a stored scan, whose events follow one second apart. */
const BEGAN_AT = Date.UTC(2026, 10, 21, 6, 30);

type EventOf<Type extends ScanEvent['type']> = Extract<NewScanEvent, { type: Type }>;

export function begun(profile: object = {}, change: Partial<EventOf<'begun'>> = {}): NewScanEvent {
  const settings: Profile = testProfile({ name: 'default', ...profile });
  return {
    type: 'begun',
    format: 1,
    scan_id: STORED_ID,
    profile: settings.name,
    request: {},
    settings,
    ...change,
  };
}

/** A page of a simplex stack: each page is the front of its own sheet. */
export function page(number: number, change: Partial<EventOf<'page'>> = {}): EventOf<'page'> {
  const filename = `page-${String(number).padStart(4, '0')}.tif`;
  const bytes = tiffFile().length;
  return { type: 'page', number, sheet: number, side: 'front', filename, bytes, ...change };
}

export function fed(change: Partial<EventOf<'fed'>> = {}): EventOf<'fed'> {
  return { type: 'fed', complete: true, duplex: false, warnings: [], ...change };
}

export function planned(...groups: readonly number[][]): EventOf<'documents'> {
  const documents = groups.map((pages, index) => ({
    filename: `document-${String(index + 1).padStart(4, '0')}.pdf`,
    pages,
    title: `title ${index + 1}`,
    metadata: {},
  }));
  return { type: 'documents', documents, dropped_pages: [], warnings: [] };
}

/** A document with the content that `storeScan` writes. */
export function assembled(document = 0): EventOf<'assembled'> {
  const facts = { bytes: DOCUMENT.length, sha256: sha256(DOCUMENT) };
  return { type: 'assembled', document, warnings: [], ...facts };
}

export function recognized(
  number: number,
  change: Partial<EventOf<'recognized'>> = {},
): EventOf<'recognized'> {
  const raw = { bytes: tiffFile().length, modified_at: BEGAN_AT };
  return { type: 'recognized', page: number, facts: PAGE_FACTS, warnings: [], raw, ...change };
}

export function uploadBegun(document = 0, destination = 0): EventOf<'upload_begun'> {
  return { type: 'upload_begun', document, destination, title: `title ${document + 1}` };
}

/** The end of an upload; see `accepted`, `refused` and `unknown` in destination.ts. */
export function uploadEnded(
  delivery: Delivery,
  document = 0,
  destination = 0,
): EventOf<'upload_ended'> {
  return { type: 'upload_ended', document, destination, ...delivery };
}

export function resumed(change: Partial<EventOf<'resumed'>> = {}): EventOf<'resumed'> {
  return { type: 'resumed', stage: 'deliver', lost_pages: [], warnings: [], ...change };
}

/** The end of a scan, by default because of a paper jam. */
export function ended(change: Partial<EventOf<'ended'>> = {}): EventOf<'ended'> {
  return {
    type: 'ended',
    profile: 'default',
    started_at: new Date(BEGAN_AT).toISOString(),
    state: 'failed',
    error: { error: 'scanner_jammed', message: 'Paper is stuck.' },
    page_count: 2,
    kept_page_count: 2,
    document_count: 0,
    failed_deliveries: 0,
    first_page: { page: 1, turned: 0, crop: null },
    duration_ms: 20_000,
    timings_ms: { scan: 19_000 },
    ...change,
  };
}

export function jammedScan(profile: object = {}): NewScanEvent[] {
  return [begun(profile), page(1), page(2), fed({ complete: false }), ended()];
}

export function timed(events: readonly NewScanEvent[], beganAt = BEGAN_AT): ScanEvent[] {
  return events.map((event, index) => ({
    ...event,
    at: new Date(beganAt + index * 1000).toISOString(),
  }));
}

/** Writes a scan directory as the service does, with small page files and the documents. */
export async function storeScan(
  root: string,
  events: readonly NewScanEvent[] = jammedScan(),
  id: string = STORED_ID,
  beganAt: number = BEGAN_AT,
): Promise<string> {
  const directory = path.join(root, id);
  await mkdir(directory, { recursive: true });
  let documents: EventOf<'documents'>['documents'] = [];
  for (const event of events) {
    if (event.type === 'page') await writeFile(path.join(directory, event.filename), tiffFile());
    if (event.type === 'documents') ({ documents } = event);
    if (event.type !== 'assembled') continue;
    const { filename } = documents[event.document] ?? { filename: 'document-0001.pdf' };
    await writeFile(path.join(directory, filename), DOCUMENT);
  }
  const lines = timed(events, beganAt).map((event) => `${JSON.stringify(event)}\n`);
  await writeFile(path.join(directory, EVENT_FILE), lines.join(''));
  return directory;
}

/** The record that these events produce. The first must be `begun`. */
export function recordOf(events: readonly NewScanEvent[]): ScanRecord {
  const [first, ...others] = timed(events);
  if (first?.type !== 'begun') throw new Error('the first event must be "begun"');
  let record = foldFirst(first);
  for (const event of others) record = fold(record, event);
  return record;
}

export function dms(baseUrl: string, change: object = {}): object {
  return { kind: 'dms', base_url: baseUrl, ...change };
}
