import type { Log } from '../../helpers/log.ts';
import type { ScanEvent } from '../archive/scan-event.ts';
import type { ScanListener } from '../archive/scan-record.ts';

export function logEvents(log: Log): ScanListener {
  return (event, record) => {
    const warnings = 'warnings' in event ? event.warnings : undefined;
    const facts = { ...factsOf(event), warnings };
    const line = { event: `scan_${event.type}`, scan_id: record.scan_id, ...facts };
    if (warnings !== undefined && warnings.length > 0) log.warn(line);
    else log.info(line);
  };
}

type Facts<Type extends ScanEvent['type']> = (event: Extract<ScanEvent, { type: Type }>) => object;

/** The fields of an event to log: nothing from the paper, and no destination settings. */
const FACTS: { readonly [Type in ScanEvent['type']]: Facts<Type> } = {
  begun: ({ profile, hold, trigger }) => ({ profile, hold, trigger }),
  resumed: ({ stage, hold, side, replaces }) => ({ stage, hold, side, replaces }),
  page: ({ number: page, sheet, side, bytes, instead_of }) => {
    return { page, sheet, side, bytes, instead_of };
  },
  fed: ({ complete, duplex, moved }) => ({ complete, duplex, moved }),
  sides_differ: ({ fronts, backs }) => ({ fronts, backs }),
  recognized: ({ page, facts }) => {
    const codes = facts.codes.map(({ type }) => type);
    return { page, ...facts, first_line: undefined, codes };
  },
  edited: ({ type: _type, at: _at, ...edit }) => edit,
  replaced: ({ page, by }) => ({ page, by }),
  discarded: ({ discarded }) => ({ discarded }),
  documents: ({ documents, dropped_pages }) => ({ documents: documents.length, dropped_pages }),
  assembled: ({ document, bytes }) => ({ document, bytes }),
  upload_begun: ({ document, destination }) => ({ document, destination }),
  upload_ended: ({ document, destination, outcome, entry }) => {
    return { document, destination, outcome, ...entry };
  },
  ended: ({ error, state, page_count, document_count, duration_ms, timings_ms }) => {
    return { state, code: error?.error, page_count, document_count, duration_ms, timings_ms };
  },
};

function factsOf<Type extends ScanEvent['type']>(
  event: Extract<ScanEvent, { type: Type }>,
): object {
  const facts: Facts<Type> = FACTS[event.type];
  return facts(event);
}
