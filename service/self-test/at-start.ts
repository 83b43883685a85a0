import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../../helpers/log.ts';
import type { SelfTest } from './self-test.ts';

export interface StartTestOptions {
  readonly selfTest: SelfTest;
  /** Rejects if the processor or the scanner runtime does not answer. */
  readonly partsAnswer: (signal: AbortSignal) => Promise<unknown>;
  readonly signal: AbortSignal;
  readonly log: Log;
}

const ASK_EVERY_MS = 1000;

/** The processor may take a minute to start on a small board. */
const WAIT_MS = 60_000;

/** Waits for the other parts, then runs the self-test and logs problems. Never rejects. */
export async function testAtStart(options: StartTestOptions): Promise<void> {
  const { selfTest, log, signal } = options;
  try {
    await waitForParts(options);
    const { status, checks, duration_ms } = await selfTest(true);
    if (signal.aborted) return;
    for (const { id, subject, status: found, message, remedy } of checks) {
      if (found === 'ok' || found === 'skipped') continue;
      const line = { event: 'self_test_problem', check: id, subject };
      log[found === 'fail' ? 'error' : 'warn'](line, `${message} ${remedy ?? ''}`.trimEnd());
    }
    const failed = checks.filter((check) => check.status === 'fail').length;
    const facts = { event: 'self_test', status, checks: checks.length, failed, duration_ms };
    log.info(facts, status === 'ok' ? 'The self-test found no problem.' : 'See GET /self-test.');
  } catch (error) {
    if (!signal.aborted)
      log.error({ event: 'self_test_failed', err: error }, 'The self-test failed.');
  }
}

async function waitForParts({ partsAnswer, signal }: StartTestOptions): Promise<void> {
  const until = performance.now() + WAIT_MS;
  while (performance.now() < until) {
    const answered = await partsAnswer(signal).then(
      () => true,
      () => false,
    );
    if (answered) return;
    await wait(ASK_EVERY_MS, undefined, { signal, ref: false });
  }
}
