import { errorCode } from '../../helpers/error-code.ts';
import { beforeAbort } from '../../helpers/before-abort.ts';
import { Failure } from '../../helpers/failure.ts';

/** One link of the chain from the profile to the filed document. */
export interface Check {
  /** Such as `dms.token`; `subject` says which one, where there are several. */
  readonly id: string;
  /** A profile, a directory, an address: what is looked at. */
  readonly subject: string;
  /** What has to be right first. */
  readonly needs?: Check | undefined;
  /** Resolves with what was found, or throws a Failure that says what is wrong. */
  readonly run: (signal: AbortSignal) => Promise<Found>;
}

/** What a check found. `unknown` could not be determined; `skipped` was not checked, for a reason that is no problem or is named elsewhere. */
export interface Found {
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped' | 'unknown';
  /** What there is, or what is wrong, in one sentence. */
  readonly what: string;
  /** What to do, where something is to be done. */
  readonly remedy?: string | undefined;
  /** What was found and what was expected, where a word says it. */
  readonly found?: string | undefined;
  readonly expected?: string | undefined;
}

/** A check that was made, as GET /self-test has it. */
export interface CheckResult {
  readonly id: string;
  readonly subject: string;
  readonly status: Found['status'];
  readonly found: string | null;
  readonly expected: string | null;
  readonly message: string;
  readonly remedy: string | null;
}

/** Nothing is wrong. */
export function ok(what: string, found?: string): Found {
  return { status: 'ok', what, found };
}

/** `warnings`: no check failed, but at least one is `warn` or `unknown`. What could not be checked is never `ok`. */
export type Verdict = 'ok' | 'warnings' | 'problems';

export function verdictOf(checks: readonly Pick<CheckResult, 'status'>[]): Verdict {
  if (checks.some(({ status }) => status === 'fail')) return 'problems';
  return checks.every(({ status }) => status === 'ok' || status === 'skipped') ? 'ok' : 'warnings';
}

type Findings = Pick<Found, 'found' | 'expected'>;

/** It is broken: what, and what to do. */
export function fail(what: string, remedy?: string, findings: Findings = {}): Found {
  return { status: 'fail', what, remedy, ...findings };
}

/** It works, but may not work well. */
export function warn(what: string, remedy: string, findings: Findings = {}): Found {
  return { status: 'warn', what, remedy, ...findings };
}

/** Asks at the first call; all others share the answer. */
export function askOnce<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  return () => (answer ??= ask());
}

/** Where nothing is known when the time is up. */
export const LATE: Found = { status: 'unknown', what: 'There was no answer in time.' };

/**
 * Runs all checks at once, each after the one that it needs; it is skipped where that one is not fine. What has no answer when the
 * signal is aborted is `unknown`. The results are in the order of the checks.
 */
export async function runChecks(
  checks: readonly Check[],
  signal: AbortSignal,
): Promise<CheckResult[]> {
  const runs = new Map<Check, Promise<Found>>();
  const run = (check: Check): Promise<Found> => {
    const found = runs.get(check) ?? beforeAbort(signal, runAfter(check), () => LATE);
    runs.set(check, found);
    return found;
  };

  async function runAfter(check: Check): Promise<Found> {
    const broken = await brokenBefore(check);
    if (broken) {
      return { status: 'skipped', what: `Not checked: see ${broken.id} ${broken.subject}.` };
    }
    return check.run(signal).catch(failed);
  }

  /** The first check of the chain before this one that is not fine. */
  async function brokenBefore({ needs }: Check): Promise<Check | undefined> {
    if (!needs || isFine(await run(needs))) return undefined;
    return (await brokenBefore(needs)) ?? needs;
  }

  return Promise.all(checks.map(async (check) => resultOf(check, await run(check))));
}

function failed(error: unknown): Found {
  if (error instanceof Failure) return fail(error.what, error.remedy);
  const code = errorCode(error);
  if (code === undefined) throw error;
  return fail(`It cannot be looked at (${code}).`);
}

function isFine({ status }: Found): boolean {
  return status === 'ok' || status === 'warn';
}

function resultOf(
  { id, subject }: Check,
  { status, what: message, remedy, found, expected }: Found,
): CheckResult {
  const facts = { found: found ?? null, expected: expected ?? null, remedy: remedy ?? null };
  return { id, subject, status, message, ...facts };
}
