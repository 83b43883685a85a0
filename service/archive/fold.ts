import { warning } from '../../helpers/warnings.ts';
import { addressIn, identityOf } from '../paperless/destination.ts';
import { withEdit, withPage } from './page-edits.ts';
import {
  afterBeginning,
  afterCutOff,
  afterEnd,
  afterSheet,
  isScanningAgain,
  isCandidate,
  warningsOfSheet,
  withReplacement,
  withCandidate,
} from './scan-again.ts';
import { withBacksOnOwnSheets } from './sheets.ts';
import type {
  Begun,
  DocumentsPlanned,
  Ended,
  Fed,
  PageScanned,
  Resumed,
  ScanEvent,
  UploadEnded,
} from './scan-event.ts';
import {
  CUT_OFF,
  isAssembled,
  type RecordedDocument,
  type RecordedPage,
  type RecordedUpload,
  type ScanRecord,
} from './scan-record.ts';

export function foldFirst({ hold = false, ...event }: Begun): ScanRecord {
  const { scan_id, profile, at, request, settings, trigger, warnings = [] } = event;
  const { asked_settings = {} } = event;
  return {
    scan_id,
    profile,
    state: 'scanning',
    stage: 'scan',
    started_at: at,
    ended_at: null,
    pages: [],
    replacementCandidates: [],
    rescan: undefined,
    arranged: false,
    discarded: false,
    duplex: undefined,
    device: undefined,
    trigger,
    hold,
    has_waited: hold,
    backs: undefined,
    unmatched: false,
    unchanged_hold: false,
    documents: [],
    dropped_pages: [],
    warnings,
    plan_warnings: [],
    error: null,
    duration_ms: null,
    timings_ms: { scan: 0, process: 0, deliver: 0 },
    request,
    settings,
    asked_settings,
  };
}

type Fold<Type extends ScanEvent['type']> = (
  record: ScanRecord,
  event: Extract<ScanEvent, { type: Type }>,
) => ScanRecord;

const FOLDS: { readonly [Type in ScanEvent['type']]: Fold<Type> } = {
  begun: () => {
    throw new Error('a scan begins once');
  },
  resumed: (record, event) =>
    event.replaces === undefined
      ? afterResumed(afterCutOff(record), event)
      : afterBeginning(afterCutOff(record), event, event.replaces),
  page: (record, event) => (isCandidate(event) ? withCandidate : afterPage)(record, event),
  fed: (record, event) => (isScanningAgain(record) ? afterSheet : afterFed)(record, event),
  sides_differ: (record) => ({ ...record, unmatched: true }),
  recognized: (record, { page: number, facts, warnings, options, raw, pdf }) => {
    const page = record.pages.find((other) => other.number === number);
    if (page === undefined) throw new Error(`there is no page ${number}`);
    const pages = withPage(record, {
      ...page,
      recognized: { facts, warnings, options, raw, pdf },
      ...(facts.paper !== undefined && { paper: facts.paper }),
    });
    return { ...warned(record, warnings), pages };
  },
  edited: (record, { page, left_out, turn, before, starts_document, crop }) => ({
    ...afterPlanned(record, NO_PLAN),
    stage: record.stage === 'deliver' ? 'process' : record.stage,
    ...withEdit(record, page, { left_out, turn, before, starts_document, crop }),
  }),
  replaced: (record, event) => ({
    ...afterPlanned(warned(record, warningsOfSheet(record)), NO_PLAN),
    stage: record.stage === 'deliver' ? 'process' : record.stage,
    ...withReplacement(record, event),
  }),
  discarded: (record, { discarded }) => ({ ...record, discarded }),
  documents: afterPlanned,
  assembled: (record, { document, bytes, sha256, page_count, warnings }) => {
    const { file, earlier_sha256: earlier = [] } = record.documents[document] ?? {};
    const documents = withDocument(record, document, {
      file: { bytes, sha256, ...(page_count !== undefined && { page_count }) },
      ...(file && { earlier_sha256: [...earlier, file.sha256] }),
    });
    const next = { ...warned(record, warnings), documents };
    return isAssembled(next) ? { ...next, state: 'delivering', stage: 'deliver' } : next;
  },
  upload_begun: (record, event) => {
    const { last, tasks = [] } = uploadOf(record, event) ?? {};
    const begun = warned(record, event.warnings ?? []);
    return withUpload(begun, event, { upload: { isOpen: true, last, tasks }, title: event.title });
  },
  upload_ended: afterUpload,
  ended: (record, { at, state, error, duration_ms, timings_ms }) => ({
    ...(isScanningAgain(record) ? afterEnd(record) : record),
    state,
    error,
    // Older versions recorded a mismatch of fronts and backs only with this error.
    unmatched: record.unmatched || error?.error === 'sheet_count_mismatch',
    ended_at: at,
    duration_ms,
    timings_ms: { ...record.timings_ms, ...timings_ms },
  }),
};

/**
 * Returns the state after a call. A successful call holds the scan if the caller wants it. A failed
 * call holds it if fronts and backs do not match, or if it was held before and no sheet moved. A
 * held scan stays held when a page is scanned again.
 */
export function stateAtEnd(record: ScanRecord, hasFailed: boolean): Ended['state'] {
  const { state, hold, unmatched, unchanged_hold } = record;
  // If the record still says `held`, not even the start of the call was recorded.
  if (state === 'held' || isScanningAgain(record)) return 'held';
  if (!hasFailed) return hold ? 'held' : 'finished';
  return unchanged_hold || unmatched ? 'held' : 'failed';
}

/** Returns the record after an event. Throws an Error if the event does not fit the record. */
export function fold<Type extends ScanEvent['type']>(
  record: ScanRecord,
  event: Extract<ScanEvent, { type: Type }>,
): ScanRecord {
  const apply: Fold<Type> = FOLDS[event.type];
  return apply(record, event);
}

function afterPage(record: ScanRecord, { type: _type, at: _at, ...page }: PageScanned): ScanRecord {
  const pages = withPage({ ...record, pages: pagesToKeep(record) }, page);
  return { ...record, unmatched: false, unchanged_hold: false, pages };
}

function afterFed(
  record: ScanRecord,
  { complete, duplex, moved, device = record.device, warnings }: Fed,
): ScanRecord {
  return {
    ...warned(record, warnings),
    duplex,
    device,
    unchanged_hold: record.unchanged_hold && moved === false,
    ...(complete && { state: 'processing', stage: 'process' }),
  };
}

function afterResumed(record: ScanRecord, event: Resumed): ScanRecord {
  const settings = event.settings ?? record.settings;
  const isForBacks = event.side === 'backs';
  const found = record.pages.filter(({ number }) => !event.lost_pages.includes(number));
  const pages =
    record.unmatched && !isForBacks ? withBacksOnOwnSheets({ ...record, pages: found }) : found;
  return {
    ...warned(record, event.warnings),
    state: ({ scan: 'scanning', process: 'processing', deliver: 'delivering' } as const)[
      event.stage
    ],
    stage: event.stage,
    ended_at: null,
    error: null,
    pages,
    rescan: undefined,
    hold: event.hold ?? false,
    has_waited: record.has_waited || event.hold === true,
    backs: isForBacks ? settings.assembly.backs_order : undefined,
    // `duplex` is unset if the end of the feed was not recorded. Backs fed separately mean no
    // duplex.
    duplex: isForBacks ? (record.duplex ?? false) : record.duplex,
    unchanged_hold: event.stage === 'scan' && record.state === 'held',
    unmatched: record.unmatched && isForBacks,
    documents: record.documents.map(withUploadsEnded),
    profile: settings.name,
    settings,
    request: event.request ?? record.request,
  };
}

const NO_PLAN = { documents: [], dropped_pages: [], warnings: [] };

/** If a repeated upload is refused, the delivery of the earlier one stays, with a warning. */
function afterUpload(record: ScanRecord, event: UploadEnded): ScanRecord {
  const { entry, outcome, warnings = [] } = event;
  const { last: before, tasks = [] } = uploadOf(record, event) ?? {};
  const isStill = outcome === 'refused' && before !== undefined && before.outcome !== 'refused';
  const task = entry.status === 'submitted' ? [entry.task_id] : [];
  const upload = {
    isOpen: false,
    last: isStill ? before : { entry, outcome },
    tasks: [...new Set([...tasks, ...task])],
  };
  const failed = isStill && entry.status === 'failed' ? [resendFailed(record, event, entry)] : [];
  return withUpload(warned(record, [...warnings, ...failed]), event, { upload });
}

function resendFailed(
  { documents, settings }: ScanRecord,
  { document, destination }: UploadPlace,
  { error }: { readonly error: string },
): string {
  const place = settings.destinations[destination];
  const system = place === undefined ? 'The destination' : addressIn(identityOf(place));
  return `${documents[document]?.filename}: ${warning('resend_failed', { system, cause: error })}`;
}

function afterPlanned(
  record: ScanRecord,
  { documents, dropped_pages, warnings }: Pick<DocumentsPlanned, keyof typeof NO_PLAN>,
): ScanRecord {
  const others = record.warnings.filter((warning) => !record.plan_warnings.includes(warning));
  return {
    ...warned({ ...record, warnings: others }, warnings),
    documents: documents.map((planned) => ({ ...planned, file: undefined, uploads: {} })),
    dropped_pages,
    plan_warnings: warnings,
  };
}

/** Sets the outcome of interrupted uploads to unknown. */
function withUploadsEnded(document: RecordedDocument): RecordedDocument {
  const uploads = Object.entries(document.uploads).map(([identity, upload]) => [
    identity,
    upload.isOpen ? { ...upload, isOpen: false, last: CUT_OFF } : upload,
  ]);
  return { ...document, uploads: Object.fromEntries(uploads) };
}

function warned(record: ScanRecord, warnings: readonly string[]): ScanRecord {
  return { ...record, warnings: [...new Set([...record.warnings, ...warnings])] };
}

/** If the backs did not match and are fed again, the new ones replace them. */
function pagesToKeep({ pages, unmatched }: ScanRecord): readonly RecordedPage[] {
  if (!unmatched) return pages;
  return pages.map((page) => (page.side === 'back' ? { ...page, replaced: true } : page));
}

function withDocument(
  { documents }: ScanRecord,
  index: number,
  change: Partial<RecordedDocument>,
): RecordedDocument[] {
  const document = documents[index];
  if (document === undefined) throw new Error(`there is no document ${index}`);
  return documents.with(index, { ...document, ...change });
}

export interface UploadPlace {
  readonly document: number;
  readonly destination: number;
}

/** Undefined if no upload to this destination has begun. */
function uploadOf(
  { documents, settings }: Pick<ScanRecord, 'documents' | 'settings'>,
  { document, destination }: UploadPlace,
): RecordedUpload | undefined {
  const place = settings.destinations[destination];
  return place && documents[document]?.uploads[identityOf(place)];
}

function withUpload(
  record: ScanRecord,
  { document, destination }: UploadPlace,
  { upload, title }: { readonly upload: RecordedUpload; readonly title?: string },
): ScanRecord {
  const place = record.settings.destinations[destination];
  if (place === undefined) throw new Error(`there is no destination ${destination}`);
  const uploads = { ...record.documents[document]?.uploads, [identityOf(place)]: upload };
  const change = title === undefined ? { uploads } : { uploads, title };
  return { ...record, documents: withDocument(record, document, change) };
}
