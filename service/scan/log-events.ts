import type { Log } from '../../helpers/log.ts';
import type { ScanEvent } from '../archive/scan-event.ts';
import type { ScanListener } from '../archive/scan-record.ts';

/** Follows scans in the log: one line for each event, named after it. Titles and settings stay out of it. */
export function logEvents(log: Log): ScanListener {
  return (event, record) => {
    const warnings = 'warnings' in event ? event.warnings : undefined;
    const facts = { ...factsOf(event), warnings };
    const line = { event: `scan_${event.type}`, scan_id: record.scan_id, ...facts };
    if (warnings !== undefined && warnings.length > 0) log.warn(line);
    else log.info(line);
  };
}

/** What of an event is for the log, without its warnings: nothing that stands on the paper, or says where it goes. */
function factsOf(event: ScanEvent): object {
  switch (event.type) {
    case 'begun':
      return { profile: event.profile, hold: event.hold, trigger: event.trigger };
    case 'resumed':
      return { stage: event.stage, hold: event.hold, side: event.side };
    case 'page':
      return { page: event.number, sheet: event.sheet, side: event.side, bytes: event.bytes };
    case 'recognized': {
      const codes = event.facts.codes.map(({ type }) => type);
      return { page: event.page, ...event.facts, first_line: undefined, codes };
    }
    case 'documents':
      return { documents: event.documents.length, dropped_pages: event.dropped_pages };
    case 'assembled':
      return { document: event.document, bytes: event.bytes };
    case 'upload_begun':
      return { document: event.document, destination: event.destination };
    case 'upload_ended': {
      const { document, destination, outcome, entry } = event;
      return { document, destination, outcome, ...entry };
    }
    case 'ended': {
      const { state, error, page_count, document_count, duration_ms, timings_ms } = event;
      return { state, code: error?.error, page_count, document_count, duration_ms, timings_ms };
    }
    case 'fed':
    case 'sides_differ':
    case 'edited':
    case 'discarded': {
      const { type: _type, at: _at, ...facts } = event;
      return facts;
    }
  }
}
