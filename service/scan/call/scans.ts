import { beforeAbort } from '../../../helpers/before-abort.ts';
import type { Log } from '../../../helpers/log.ts';
import type { ScanArchive } from '../../archive/scan-archive.ts';
import type { CallIdentity } from '../../archive/scan-event.ts';
import { createScanId } from '../../archive/scan-id.ts';
import { isAssembled, type ScanRecord } from '../../archive/scan-record.ts';
import { resultOf, type ScanResult } from '../../archive/scan-view.ts';
import { compareStoredPages } from '../../archive/stored-pages.ts';
import { DEFAULT_REDELIVERY, type Redelivery } from '../../archive/upload-decision.ts';
import { waitsForBack } from '../../documents/cards.ts';
import { isDelivered } from '../stages/deliver.ts';
import { createAddedPaperCalls, type AddedPaperCalls, type OnStart } from './added-paper.ts';
import { checkAll } from './check-all.ts';
import { checkDestinations, type CheckTimes } from './check-destinations.ts';
import { checkNotDiscarded, createEdits, type Edits } from './edits.ts';
import type { CallOutcome } from './finish.ts';
import { preflightOfProcessing } from './preflight.ts';
import { planRemake } from './plan-remake.ts';
import { createRepeatedCalls } from './repeated-calls.ts';
import {
  changesOf,
  checkResendable,
  checkPagesLeft,
  notReplacedWarnings,
  resumedEvent,
  shortStackWarnings,
  withChanges,
  withUnrecorded,
  type ResumeChanges,
} from './resumable.ts';
import {
  CALL_TIMES,
  createRunningScans,
  type RunningCall,
  type RunningScans,
} from './running-scans.ts';
import type { ScanCall, ScanParts } from '../scan.ts';
import { unmatchedWarnings } from '../sides.ts';
import { deliverDocuments, deliverRemade, fileStoredPages, scanStack } from '../stages/stages.ts';
import { waitForScanner } from './wait-for-scanner.ts';

export interface ResumeOptions extends ResumeChanges {
  readonly redelivery: Redelivery;
}

/** Calls settle by the profile's deadline, and reject only with a Failure. */
export interface Scans
  extends Edits, AddedPaperCalls, Pick<RunningScans, 'isRunning' | 'answer' | 'drain'> {
  /** Scans, processes and delivers. A repeated `identity` returns the first result. */
  scan(call: ScanCall, identity?: CallIdentity, onStart?: OnStart): Promise<ScanResult>;
  /** Files the stored pages, without feeding. Delivers only what no earlier call delivered. */
  resume(id: string, options?: ResumeOptions, onStart?: OnStart): Promise<ScanResult>;
  /** Stops the feeder after the current sheet. Resolves with false if it was not running. */
  stop(id: string): Promise<boolean>;
}

const redelivery = DEFAULT_REDELIVERY;

/** Time limit for updating `scan.json` of a finished scan. A slower disk is considered hung. */
const REFRESH_MS = 2000;

/**
 * Runs calls concurrently and answers each by its deadline, even if a disk or a service hangs. The
 * steps of a call:
 *
 *   admit    running.run      refuses during shutdown; one call per scan; starts the deadline
 *   repeat   repeated.once    returns the first result of a repeated key
 *   check    checkAll         refuses before paper moves; leaves nothing on disk
 *   open     archive.begin    or archive.open and `resumed`; from here on, every end is an event
 *   work     scanStack        or fileStoredPages, or deliverDocuments
 *   settle   call.finish      records `ended`; returns a view of the record, or a failure
 *   answer   by the deadline; the call itself continues to its end
 */
export function createScans(
  parts: ScanParts,
  archive: ScanArchive,
  log: Log,
  times = CALL_TIMES,
): Scans {
  const running = createRunningScans(log, times);
  const repeated = createRepeatedCalls(archive, (id) => running.isRunning(id));
  const context = { parts, archive, checkTimes: times.check };

  return {
    ...createEdits(running, archive),
    ...createAddedPaperCalls({ running, repeated }, context),
    isRunning: (id) => running.isRunning(id),
    answer: (id) => running.answer(id),
    drain: () => running.drain(),

    scan: async (asked, identity, onStart) => {
      const id = createScanId(new Date());
      const { timeout_seconds: seconds, paths } = asked.profile;
      return running.run({ id, seconds, startedAt: performance.now(), onStart }, (call) =>
        repeated.once({ id, root: paths.output_dir, identity }, () =>
          scanNew(call, asked, { ...context, identity }),
        ),
      );
    },

    resume: async (id, options = { redelivery }, onStart) => {
      const startedAt = performance.now();
      running.checkOpen();
      const { record, isOpen } = await archive.find(id);
      checkResendable(record, options.redelivery);
      const changes = changesOf(record, options);
      const changed = withChanges(record, changes, record.stage);
      const isAsked = Object.keys(changes).length > 0 || !isDelivered(changed, options.redelivery);
      const isDone = record.state === 'finished' && !isAsked;
      if (isDone && !isOpen && !running.isRunning(id)) return finishedBefore(archive, record);
      const seconds = changed.settings.timeout_seconds;
      const claim = { id, seconds, startedAt, record, onStart };
      return running.run(claim, (call) => resumeScan(call, options, context));
    },

    stop: async (id) => {
      const { record, isOpen } = await archive.find(id);
      running.stop(id);
      return isOpen && record.state === 'scanning';
    },
  };
}

/** Returns the result of a finished scan. Writes `scan.json` again if an earlier write failed. */
async function finishedBefore(
  archive: Pick<ScanArchive, 'refresh'>,
  record: ScanRecord,
): Promise<ScanResult> {
  const refreshed = archive.refresh(record.scan_id).catch(() => {});
  await beforeAbort(AbortSignal.timeout(REFRESH_MS), refreshed, () => {});
  return resultOf(record);
}

interface Context {
  readonly parts: ScanParts;
  readonly archive: ScanArchive;
  readonly checkTimes: CheckTimes;
}

interface FeedingContext extends Context {
  readonly identity: CallIdentity | undefined;
}

async function scanNew(
  call: RunningCall,
  { profile, settings = {}, metadata, hold = waitsForBack(profile), trigger }: ScanCall,
  { parts, archive, checkTimes, identity }: FeedingContext,
): Promise<CallOutcome> {
  const { signal } = call.deadline;
  const deliverable = { ...profile, metadata };
  const { workers, warnings } = await checkAll(
    deliverable,
    { parts, checkTimes },
    signal,
    settings,
  );
  const open = await archive.begin({
    scan_id: call.id,
    profile: profile.name,
    request: metadata,
    settings: profile,
    hold,
    warnings,
    ...(Object.keys(settings).length > 0 && { asked_settings: settings }),
    ...(identity && { call: { ...identity, last_page: 0 } }),
    ...(trigger && { trigger }),
  });
  return call.finish(open, (scan, clock) =>
    scanStack(scan, parts, { clock, workers, lastPage: 0, redelivery }),
  );
}

async function resumeScan(
  call: RunningCall,
  options: ResumeOptions,
  { parts, archive, checkTimes }: Context,
): Promise<CallOutcome> {
  const { id, deadline } = call;
  const { directory, record } = await archive.find(id);
  checkNotDiscarded(record);
  const changes = changesOf(record, options);
  const { settings, request } = withChanges(record, changes, record.stage);
  if (changes.settings || changes.request) {
    const deliverable = { ...settings, metadata: request, require_destinations: false };
    await checkDestinations(deliverable, parts.dms, deadline.signal, checkTimes);
  }
  if (isAssembled(record)) {
    const { documents, warnings } = await planRemake(directory, record);
    const { redelivery } = options;
    if (documents.length === 0) {
      return call.finish(await archive.open(id), async (scan, clock) => {
        await scan.append(resumedEvent('deliver', changes));
        await deliverDocuments(scan, parts, { clock, redelivery });
      });
    }
    const { workers } = await preflightOfProcessing(settings, parts, deadline.signal);
    return call.finish(await archive.open(id), async (scan, clock) => {
      await scan.append(resumedEvent('process', changes, { lost: [], warnings }));
      await deliverRemade(scan, parts, { clock, workers, redelivery, documents });
    });
  }
  await waitForScanner({ id, directory }, parts.scanner, deadline.signal);
  const found = await compareStoredPages(directory, record);
  checkPagesLeft(record, found);
  const pages = {
    ...found,
    warnings: [
      ...found.warnings,
      ...notReplacedWarnings(record, found),
      ...shortStackWarnings(record),
      ...unmatchedWarnings(record),
    ],
  };
  const { workers } = await preflightOfProcessing(settings, parts, deadline.signal);
  return call.finish(await archive.open(id), async (scan, clock) => {
    await scan.append(...withUnrecorded(resumedEvent('process', changes, pages), pages));
    await fileStoredPages(scan, parts, { clock, workers, redelivery: options.redelivery });
  });
}
