import { rm } from 'node:fs/promises';
import path from 'node:path';
import { createGrowingFile, type GrowingFile } from '../storage/growing-file.ts';
import {
  DELIVERY_JOURNAL_FILE,
  journalHead,
  journalLine,
  type DeliveryNote,
} from './delivery-journal.ts';

/** The journal in a scan directory. Its calls are made one after the other. */
export interface DeliveryJournalFile {
  /**
   * Adds a line for that revision of the record, and resolves when it is durable; the first one makes the file. When it rejects
   * the journal is closed: before more is added, the record is to be written.
   */
  add(revision: number, notes: readonly DeliveryNote[]): Promise<void>;
  /** Ends it; the next line begins a new one. */
  close(): Promise<void>;
  /** Takes a void one away. Never rejects: nobody believes one that stays. */
  remove(): Promise<void>;
}

/** Nothing is made before the first line. */
export function deliveryJournalIn(directory: string): DeliveryJournalFile {
  const name = path.join(directory, DELIVERY_JOURNAL_FILE);
  let file: GrowingFile | undefined;

  async function close(): Promise<void> {
    const open = file;
    file = undefined;
    await open?.close();
  }

  return {
    add: async (revision, notes) => {
      const line = journalLine(notes);
      try {
        if (file) await file.append(line);
        else file = await createGrowingFile(name, journalHead(revision) + line);
      } catch (error) {
        await close();
        throw error;
      }
    },
    close,
    remove: () => rm(name, { force: true }).catch(() => {}),
  };
}
