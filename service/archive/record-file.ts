import path from 'node:path';
import type { Log } from '../../helpers/log.ts';
import { openPlainFile } from '../../helpers/plain-file.ts';
import { writeAtomically } from '../storage/write-atomically.ts';
import { EVENT_FILE } from './event-file.ts';
import type { ScanRecord } from './scan-record.ts';
import { explained, viewOf } from './scan-view.ts';

/** For people and scripts. The service itself reads only the events. */
const RECORD_FILE = 'scan.json';

/** Replaces `scan.json`. On an error, logs it and resolves with false. */
export async function writeRecordFile(
  directory: string,
  record: ScanRecord,
  log: Log,
): Promise<boolean> {
  try {
    await writeAtomically(path.join(directory, RECORD_FILE), contentOf(record));
    return true;
  } catch (error) {
    const facts = { event: 'record_not_written', scan_id: record.scan_id, err: error };
    log.warn(facts, `${RECORD_FILE} could not be written; ${EVENT_FILE} holds everything.`);
    return false;
  }
}

export async function refreshRecordFile(
  directory: string,
  record: ScanRecord,
  log: Log,
): Promise<boolean> {
  const isCurrent = await isSame(path.join(directory, RECORD_FILE), contentOf(record));
  return isCurrent || writeRecordFile(directory, record, log);
}

function contentOf(record: ScanRecord): string {
  return `${JSON.stringify(explained(viewOf(record, true)), null, 2)}\n`;
}

async function isSame(file: string, content: string): Promise<boolean> {
  try {
    const { handle, bytes } = await openPlainFile(file);
    try {
      return bytes === Buffer.byteLength(content) && (await handle.readFile('utf8')) === content;
    } finally {
      await handle.close();
    }
  } catch {
    return false;
  }
}
