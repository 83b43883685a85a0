import { mkdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { PageOptions } from '../../../helpers/processor-contract.ts';
import { RECOGNIZED_DIRECTORY } from '../../archive/file-names.ts';
import type { PageStamp } from '../../archive/scan-event.ts';
import { comparePdf } from '../../archive/stored-pdf.ts';
import type { RecordedPage } from '../../archive/scan-record.ts';
import type { Turn } from '../../documents/follow-turns.ts';
import { isUpToDate, pageOptions } from '../../documents/page-options.ts';
import type { ProcessorClient } from '../../processor/processor-client.ts';
import { syncDirectory } from '../../storage/write-atomically.ts';
import type { Scan } from '../scan.ts';
import type { TaskGroup } from './task-group.ts';

/** Per worker: one page in progress and one waiting. */
const PAGES_PER_WORKER = 2;

export function pagesAtOnce(workers: number): number {
  return Math.max(1, workers) * PAGES_PER_WORKER;
}

export function recognizedFile(
  directory: string,
  { filename }: Pick<RecordedPage, 'filename'>,
): string {
  return path.join(directory, RECOGNIZED_DIRECTORY, filename.replace(/\.tif$/, '.pdf'));
}

type ScannedSide = Pick<
  RecordedPage,
  'number' | 'side' | 'scanned_side' | 'filename' | 'cropped' | 'turn' | 'crop' | 'paper'
>;

/**
 * Recognizes pages while the feeder runs. The returned function queues a page, and skips it if it
 * is already recognized. With `usualTurn`, it recognizes the page again, turned like the others.
 */
export function createRecognition(
  scan: Scan,
  group: TaskGroup,
  processor: ProcessorClient,
  onRecognized: (page: number) => Promise<void>,
): (page: ScannedSide, usualTurn?: Turn) => void {
  async function recognize(page: ScannedSide, usual_turn: Turn = 0): Promise<void> {
    const { directory } = scan;
    const pageFile = path.join(directory, page.filename);
    const raw = await stampOf(pageFile);
    const { settings, has_waited } = scan.record();
    const asked = pageOptions(settings, page, has_waited);
    const options = usual_turn === 0 ? asked : { ...asked, usual_turn };
    if (usual_turn === 0 && (await isRecognized(scan, { number: page.number, raw, options })))
      return;
    await recognizePage(scan, processor, { page, options, signal: group.signal });
    await onRecognized(page.number);
  }

  return (page, usualTurn) => group.run(() => recognize(page, usualTurn));
}

export interface RecognitionJob {
  readonly page: Pick<ScannedSide, 'number' | 'filename'>;
  readonly options: PageOptions;
  readonly signal: AbortSignal;
}

export async function recognizePage(
  scan: Scan,
  processor: ProcessorClient,
  { page, options, signal }: RecognitionJob,
): Promise<void> {
  const { directory, log } = scan;
  const pageFile = path.join(directory, page.filename);
  const raw = await stampOf(pageFile);
  await prepareDirectory(directory);
  const outFile = recognizedFile(directory, page);
  const request = { pageFile, outFile, options, signal, log };
  const { facts, warnings, file } = await processor.recognizePage(request);
  await scan.append({
    type: 'recognized',
    page: page.number,
    facts,
    warnings: warnings.map((warning) => `Page ${page.number}: ${warning}`),
    options,
    raw,
    ...(file && { pdf: file }),
  });
}

interface WantedPage {
  readonly number: number;
  readonly raw: PageStamp;
  readonly options: PageOptions;
}

/** True if an earlier call recognized this raw page with the same options. */
async function isRecognized(scan: Scan, { number, raw, options }: WantedPage): Promise<boolean> {
  const page = scan.record().pages.find((other) => other.number === number);
  if (page?.recognized === undefined || !isDeepStrictEqual(page.recognized.raw, raw)) return false;
  if (!isUpToDate(page.recognized, options)) return false;
  if (page.recognized.facts.left_out !== null) return true;
  const made = { file: page.recognized.pdf, page_count: 1 };
  // An unreadable PDF counts as broken and is made again.
  const state = await comparePdf(recognizedFile(scan.directory, page), made).catch(() => 'broken');
  return state === 'as_made';
}

async function stampOf(file: string): Promise<PageStamp> {
  const { size, mtimeMs } = await stat(file);
  return { bytes: size, modified_at: mtimeMs };
}

async function prepareDirectory(directory: string): Promise<void> {
  const made = await mkdir(path.join(directory, RECOGNIZED_DIRECTORY), { recursive: true });
  if (made !== undefined) await syncDirectory(directory);
}
