import type { PageFacts } from '../../helpers/page-facts.ts';
import type { Log } from '../../helpers/log.ts';
import type { Ended, ScanEvent } from '../archive/scan-event.ts';
import type { ScanListener } from '../archive/scan-record.ts';

/** Follows scans in the log: one line for each event, named after it. Titles and settings stay out of it. */
export function logEvents(log: Log): ScanListener {
  return (event, record) => {
    const line = { event: `scan_${event.type}`, scan_id: record.scan_id, ...factsOf(event) };
    if ('warnings' in event && event.warnings.length > 0) log.warn(line);
    else log.info(line);
  };
}

/** What is on the paper is not for the log. */
function withoutText(facts: PageFacts): object {
  return { ...facts, first_line: undefined, codes: facts.codes.map(({ type }) => type) };
}

function factsOf(event: ScanEvent): object {
  if (isShort(event)) {
    const { type: _type, at: _at, ...facts } = event;
    return facts;
  }
  switch (event.type) {
    case 'begun':
      return {
        profile: event.profile,
        hold: event.hold,
        trigger: event.trigger,
        warnings: event.warnings,
      };
    case 'resumed': {
      const { stage, hold, side, warnings } = event;
      return { stage, hold, side, warnings };
    }
    case 'page':
      return { page: event.number, sheet: event.sheet, side: event.side, bytes: event.bytes };
    case 'recognized':
      return { page: event.page, ...withoutText(event.facts), warnings: event.warnings };
    case 'documents':
      return {
        documents: event.documents.length,
        dropped_pages: event.dropped_pages,
        warnings: event.warnings,
      };
    case 'assembled':
      return { document: event.document, bytes: event.bytes, warnings: event.warnings };
    case 'upload_begun':
      return {
        document: event.document,
        destination: event.destination,
        warnings: event.warnings,
      };
    case 'upload_ended':
      return {
        document: event.document,
        destination: event.destination,
        outcome: event.outcome,
        ...event.entry,
      };
    case 'ended':
      return factsOfEnd(event);
  }
}

type ShortEvent = Extract<ScanEvent, { type: 'fed' | 'sides_differ' | 'edited' | 'discarded' }>;

/** Whether all of an event is for the log. */
function isShort(event: ScanEvent): event is ShortEvent {
  return ['fed', 'sides_differ', 'edited', 'discarded'].includes(event.type);
}

function factsOfEnd({ error, ...event }: Ended): object {
  const { state, page_count, document_count, duration_ms, timings_ms } = event;
  return { state, code: error?.error, page_count, document_count, duration_ms, timings_ms };
}
