import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { messageOf } from '../../helpers/error-code.ts';

export interface RootRun {
  readonly directory: string;
  /** Aborted if a person interrupts the run. */
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
  readonly count: { passed: number; failed: number };
  /** Runs a case and prints its outcome together with `facts`. */
  readonly check: (
    title: string,
    work: () => Promise<unknown>,
    facts?: () => string,
  ) => Promise<void>;
}

/** Runs as root only. The exit code is 0 only if nothing failed. */
export async function runByRoot(
  name: string,
  work: (run: RootRun) => Promise<unknown>,
): Promise<void> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stop.abort());
  }
  const count = { passed: 0, failed: 0 };
  const say = (text: string): void => void process.stdout.write(`${text}\n`);
  const check: RootRun['check'] = async (title, run, facts = () => '') => {
    const failure = await run().then(() => undefined, messageOf);
    count[failure === undefined ? 'passed' : 'failed'] += 1;
    const outcome = `${title}  ${facts()}`.trimEnd();
    say(failure === undefined ? `ok    ${outcome}` : `FAIL  ${outcome}\n${failure}`);
  };
  const directory = await mkdtemp(`/var/tmp/scan-service-${name}-`);
  try {
    if (process.getuid?.() !== 0) throw new Error('Only root can do this: run this test as root.');
    // A root directory must be accessible to every user.
    await chmod(directory, 0o755);
    await work({ directory, signal: stop.signal, say, count, check });
  } catch (error) {
    count.failed += 1;
    say(`FAIL  ${messageOf(error)}`);
  }
  await rm(directory, { recursive: true, force: true });
  say(`\n${count.passed} passed, ${count.failed} failed`);
  process.exitCode = count.failed === 0 ? 0 : 1;
}
