import type { ScanArchive } from '../../archive/scan-archive.ts';
import type { CallIdentity } from '../../archive/scan-event.ts';
import type { ScanResult } from '../../archive/scan-view.ts';
import { compareStoredPages } from '../../archive/stored-pages.ts';
import { DEFAULT_REDELIVERY } from '../../archive/upload-decision.ts';
import { waitsForBack } from '../../documents/cards.ts';
import type { AddedPaper, PageRescan } from '../scan.ts';
import { inheritFromLastCall, checkAddedSide } from '../sides.ts';
import { scanStack } from '../stages/stages.ts';
import { checkAll, type CheckParts } from './check-all.ts';
import { checkNotDiscarded } from './edits.ts';
import type { CallOutcome } from './finish.ts';
import type { RepeatedCalls } from './repeated-calls.ts';
import {
  checkContinuable,
  notReplacedWarnings,
  resumedEvent,
  unrecordedPages,
  withChanges,
  withUnrecorded,
} from './resumable.ts';
import type { CallClaim, RunningCall, RunningScans } from './running-scans.ts';
import { scanPageAgain } from './scan-page-again.ts';
import { waitForScanner } from './wait-for-scanner.ts';

/** Receives the scan's id once all earlier requests for the scan have ended. */
export type OnStart = NonNullable<CallClaim['onStart']>;

export interface AddedPaperCalls {
  /**
   * Scans more paper into a held or incomplete scan, then files all pages unless the scan is held
   * again. The profile and metadata stay. If the feeder of the last call stopped early, options
   * missing in `added` are taken from that call.
   */
  continueScan(
    id: string,
    added?: AddedPaper,
    identity?: CallIdentity,
    onStart?: OnStart,
  ): Promise<ScanResult>;
  /** Scans one sheet in place of a page of a held scan. The scan stays held. */
  scanPageAgain(
    id: string,
    asked: PageRescan,
    identity?: CallIdentity,
    onStart?: OnStart,
  ): Promise<ScanResult>;
}

interface Context extends CheckParts {
  readonly archive: ScanArchive;
}

interface FeedingContext extends Context {
  readonly identity: CallIdentity | undefined;
}

interface AddedCall extends Pick<FeedingContext, 'identity'> {
  readonly id: string;
  readonly onStart: OnStart | undefined;
}

export function createAddedPaperCalls(
  { running, repeated }: { readonly running: RunningScans; readonly repeated: RepeatedCalls },
  context: Context,
): AddedPaperCalls {
  async function add(
    { id, identity, onStart }: AddedCall,
    run: (call: RunningCall) => Promise<CallOutcome>,
  ): Promise<ScanResult> {
    const startedAt = performance.now();
    running.checkOpen();
    const { record } = await context.archive.find(id);
    const { timeout_seconds: seconds, paths } = record.settings;
    return running.run({ id, seconds, startedAt, record, onStart }, (call) =>
      repeated.once({ id, root: paths.output_dir, identity }, () => run(call)),
    );
  }

  return {
    continueScan: (id, added = {}, identity, onStart) =>
      add({ id, identity, onStart }, (call) => scanRest(call, added, { ...context, identity })),
    scanPageAgain: (id, asked, identity, onStart) =>
      add({ id, identity, onStart }, (call) =>
        scanPageAgain(call, asked, { ...context, identity }),
      ),
  };
}

const redelivery = DEFAULT_REDELIVERY;

async function scanRest(
  call: RunningCall,
  asked: AddedPaper,
  { parts, archive, checkTimes, identity }: FeedingContext,
): Promise<CallOutcome> {
  const { id, deadline } = call;
  const { directory, record } = await archive.find(id);
  checkNotDiscarded(record);
  checkContinuable(record);
  checkAddedSide(record, inheritFromLastCall(record, asked));
  const { settings, request } = withChanges(record, {}, 'scan');
  const deliverable = { ...settings, metadata: request };
  const { workers, warnings } = await checkAll(deliverable, { parts, checkTimes }, deadline.signal);
  await waitForScanner({ id, directory }, parts.scanner, deadline.signal);
  const found = await compareStoredPages(directory, record);
  const left = notReplacedWarnings(record, found);
  const pages = { ...found, warnings: [...found.warnings, ...left, ...warnings] };
  const hold = waitsForBack(record.settings, [...record.pages, ...unrecordedPages(found)]);
  const added = { ...(hold && { hold }), ...inheritFromLastCall(record, asked) };
  return call.finish(await archive.open(id), async (scan, clock) => {
    const resumed = { ...resumedEvent('scan', {}, pages), ...added };
    const keyed = identity && { call: { ...identity, last_page: pages.last } };
    await scan.append(...withUnrecorded({ ...resumed, ...keyed }, pages));
    await scanStack(scan, parts, { clock, workers, lastPage: pages.last, redelivery });
  });
}
