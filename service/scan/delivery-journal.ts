/**
 * The journal of a delivery: what became known of each upload since `scan.json` was last written, one line for each moment at
 * which something did. A line costs one sync, whatever the size of the record. The journal is void once the record is
 * written again, for the record then holds what it said; readers tell by the revision that it names.
 */
import type { Delivery, DestinationEntry } from '../destinations/destination.ts';
import type { ScannedDocument } from './scan-record.ts';

/** Name of the journal in a scan directory, beside `scan.json`. */
export const DELIVERY_JOURNAL_FILE = 'deliveries.jsonl';

/** What is known of one document at one destination; their places are counted from 0. */
export interface DeliveryNote {
  readonly document: number;
  readonly destination: number;
  readonly entry: DestinationEntry;
  readonly outcome: Delivery['outcome'];
}

/** What a journal holds, before it was checked. */
export interface JournalContent {
  readonly revision: unknown;
  /** Earliest first; a later one overrules an earlier one of the same place. */
  readonly notes: readonly unknown[];
}

/** The first line: which revision of `scan.json` the notes are to be added to. */
export function journalHead(revision: number): string {
  return `${JSON.stringify({ revision })}\n`;
}

/** The line for what became known at one moment. Being one line, it counts as a whole or not at all. */
export function journalLine(notes: readonly DeliveryNote[]): string {
  return `${JSON.stringify(notes)}\n`;
}

/**
 * Takes a journal apart; throws where it is damaged. A last line that is not whole was being written when the machine
 * stopped: nothing was begun on the strength of it, so it is left out.
 */
export function parseJournal(text: string): JournalContent {
  const [head = '', ...lines] = text.split('\n');
  // What follows the last line break: nothing, or the beginning of a line.
  lines.pop();
  const { revision }: { revision?: unknown } = Object(JSON.parse(head));
  const parsed = lines.map(parseLine);
  if (parsed.at(-1) === undefined) parsed.pop();
  return { revision, notes: parsed.flat() };
}

/** Undefined where it is not whole. */
function parseLine(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/** The documents with what the notes say of them; throws for a note of a place that there is not. */
export function withNotes(
  documents: readonly ScannedDocument[],
  notes: readonly DeliveryNote[],
): ScannedDocument[] {
  const noted = [...documents];
  for (const { document: index, destination, entry, outcome } of notes) {
    const document = noted[index];
    if (document === undefined || destination > document.outcomes.length) {
      throw new Error(`there is no delivery ${destination} of document ${index}`);
    }
    noted[index] = {
      ...document,
      destinations: replaced(document.destinations, destination, entry),
      outcomes: replaced(document.outcomes, destination, outcome),
    };
  }
  return noted;
}

/** The list with `value` at that place, which may be the one behind its end. */
function replaced<T>(list: readonly T[], place: number, value: T): T[] {
  return [...list.slice(0, place), value, ...list.slice(place + 1)];
}
