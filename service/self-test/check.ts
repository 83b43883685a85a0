import { errorCode } from '../../helpers/error-code.ts';
import { beforeAbort } from '../../helpers/before-abort.ts';
import { Failure } from '../../helpers/failure.ts';

/** Checks one step on the way from a profile to a filed document. */
export interface Check {
  /** Such as `dms.token`. If several checks have the same id, their subjects differ. */
  readonly id: string;
  readonly subject: string;
  readonly needs?: Check | undefined;
  /** Returns a result, or throws a Failure that becomes one. */
  readonly run: (signal: AbortSignal) => Promise<Found>;
}

/** `unknown`: could not find out. `skipped`: does not matter, or another check reports it. */
export interface Found {
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped' | 'unknown';
  readonly what: string;
  readonly remedy?: string | undefined;
  /** The actual and the expected value, if they are short. */
  readonly found?: string | undefined;
  readonly expected?: string | undefined;
  /** Names the message, if it is not the only one of this check and status. */
  readonly key?: string | undefined;
  /** For translations only. */
  readonly facts?: Readonly<Record<string, string>> | undefined;
}

export interface CheckResult {
  readonly id: string;
  readonly subject: string;
  readonly status: Found['status'];
  readonly found: string | null;
  readonly expected: string | null;
  readonly message: string;
  readonly remedy: string | null;
}

/** With the key by which translations find the message, and the facts in it. */
export interface KeyedResult extends CheckResult, Pick<Found, 'key' | 'facts'> {}

/** The result as callers of the API get it. */
export function unkeyed(result: KeyedResult): CheckResult {
  const { id, subject, status, message, found, expected, remedy } = result;
  return { id, subject, status, message, found, expected, remedy };
}

export function ok(what: string, found?: string, key?: string): Found {
  return { status: 'ok', what, found, key };
}

/** `warnings`: no check failed, but at least one is `warn` or `unknown`. */
export type Verdict = 'ok' | 'warnings' | 'problems';

export function verdictOf(checks: readonly Pick<CheckResult, 'status'>[]): Verdict {
  if (checks.some(({ status }) => status === 'fail')) return 'problems';
  return checks.every(({ status }) => status === 'ok' || status === 'skipped') ? 'ok' : 'warnings';
}

type Findings = Pick<Found, 'found' | 'expected' | 'key' | 'facts'>;

export function fail(what: string, remedy?: string, findings: Findings = {}): Found {
  return { status: 'fail', what, remedy, ...findings };
}

export function warn(what: string, remedy: string, findings: Findings = {}): Found {
  return { status: 'warn', what, remedy, ...findings };
}

export function askOnce<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let answer: Promise<Answer> | undefined;
  return () => (answer ??= ask());
}

export const LATE: Found = {
  status: 'unknown',
  what: 'There was no answer in time.',
  key: 'late',
};

/**
 * Skips a check if the check it needs is neither `ok` nor `warn`. If the signal aborts, the
 * unfinished checks are `unknown`. Keeps the order of the checks.
 */
export async function runChecks(
  checks: readonly Check[],
  signal: AbortSignal,
): Promise<KeyedResult[]> {
  const runs = new Map<Check, Promise<Found>>();
  const run = (check: Check): Promise<Found> => {
    const found = runs.get(check) ?? beforeAbort(signal, runAfter(check), () => LATE);
    runs.set(check, found);
    return found;
  };

  async function runAfter(check: Check): Promise<Found> {
    const broken = await brokenBefore(check);
    if (broken) {
      const what = `Not checked: see ${broken.id} ${broken.subject}.`;
      return { status: 'skipped', what, key: 'needs' };
    }
    return check.run(signal).catch(failed);
  }

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
  return fail(`It cannot be looked at (${code}).`, undefined, { key: 'unlooked' });
}

function isFine({ status }: Found): boolean {
  return status === 'ok' || status === 'warn';
}

function resultOf(
  { id, subject }: Check,
  { status, what: message, remedy, found, expected, key, facts }: Found,
): KeyedResult {
  const findings = { found: found ?? null, expected: expected ?? null, remedy: remedy ?? null };
  return { id, subject, status, message, ...findings, key, facts };
}
