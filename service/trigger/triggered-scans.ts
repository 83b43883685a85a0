import { randomUUID } from 'node:crypto';
import { Failure } from '../../helpers/failure.ts';
import type { Log } from '../../helpers/log.ts';
import { callIdentity } from '../archive/recorded-calls.ts';
import type { ScanArchive } from '../archive/scan-archive.ts';
import { describeTrigger, type RefusedTrigger } from '../profiles/trigger.ts';
import type { Scans } from '../scan/call/scans.ts';
import type { NamedScanner } from './same-scanner.ts';
import type { TriggerOptions } from './triggers.ts';

/** For this long, new paper may be the rest of a held scan. */
const HELD_MS = 60 * 60_000;

/**
 * How many of the newest scans to search for a held one. No scanner makes more within `HELD_MS`.
 */
const SEARCHED = 100;

export interface TriggeredScanParts {
  readonly scans: Pick<Scans, 'scan'>;
  readonly archive: Pick<ScanArchive, 'list' | 'find'>;
  /** Called if no paper moved and no scan was recorded. */
  readonly onRefused: (refused: RefusedTrigger) => void;
  readonly log: Log;
  readonly now?: () => number;
}

/** Starts a scan when a trigger fires. Each time is a new call, with its own idempotency key. */
export function triggeredScans(parts: TriggeredScanParts): TriggerOptions['fire'] {
  const { scans, onRefused, log } = parts;
  return async (profile, trigger, maybeSameScanner) => {
    const { name } = profile;
    log.info(
      { event: 'triggered', profile: name, trigger },
      `started by ${describeTrigger(trigger)}`,
    );
    const call = { profile, metadata: {}, trigger };
    const identity = callIdentity(`trigger-${randomUUID()}`, { profile: name, trigger });
    try {
      if ('paper' in trigger) await checkNoneHeld(maybeSameScanner, parts);
      await scans.scan(call, identity);
    } catch (error) {
      if (!(error instanceof Failure)) {
        log.error({ event: 'trigger_error', err: error }, 'A scan from the scanner met a bug.');
        // A scan that has started reports its own end.
      } else if (error.facts['scan_id'] === undefined) {
        log.warn({ event: 'trigger_refused', profile: name, err: error }, error.message);
        onRefused({ profile: name, trigger, failure: error });
      }
    }
  };
}

/** Throws a Failure if a scan of this scanner is held, because the paper may belong to it. */
async function checkNoneHeld(
  maybeSameScanner: (scanner: NamedScanner) => boolean,
  { archive, now = Date.now }: TriggeredScanParts,
): Promise<void> {
  const { scans } = await archive.list(SEARCHED);
  for (const { id, summary } of scans) {
    if (summary?.state !== 'held' || summary.ended_at === null) continue;
    if (now() - Date.parse(summary.ended_at) > HELD_MS) continue;
    const held = await archive.find(id).catch(() => undefined);
    if (!held) continue;
    const { settings, device } = held.record;
    if (!maybeSameScanner({ named: settings.device, device })) continue;
    const what = 'Paper was put in while a scan waits for more paper, so nothing was fed.';
    const remedy = `Add it to scan ${id}, or finish that scan, take the paper out and put it in again.`;
    throw new Failure('scan_in_progress', what, { remedy });
  }
}
