/** One link of the chain from the profile to the filed document, looked at. */
export interface Check {
  /** Such as `dms.token`; `subject` says which one, where there are several. */
  readonly id: string;
  /** A profile, a directory, an address: whatever was looked at. */
  readonly subject: string;
  /** `unknown` could not be found out, `skipped` depends on a check that failed. Neither is good or bad. */
  readonly status: 'ok' | 'warn' | 'fail' | 'skipped' | 'unknown';
  readonly found: string | null;
  readonly expected: string | null;
  /** What there is, or what is wrong, in one sentence. */
  readonly message: string;
  /** What to do; null where nothing is to be done. */
  readonly remedy: string | null;
}

type About = Pick<Check, 'id' | 'subject'>;

/** What was found and what was expected, where a word says it. */
export interface Findings {
  readonly found?: string | undefined;
  readonly expected?: string | undefined;
}

export function ok({ id, subject }: About, message: string, { found }: Findings = {}): Check {
  return make({ id, subject }, { status: 'ok', message, remedy: null, found });
}

/** `advice` is what happened, and then what to do, as all failures of the service say it. */
export function fail(about: About, advice: string, findings: Findings = {}): Check {
  return make(about, { status: 'fail', ...splitAdvice(advice), ...findings });
}

/** As `fail`, for what works, but may not work well. */
export function warn(about: About, advice: string, findings: Findings = {}): Check {
  return make(about, { status: 'warn', ...splitAdvice(advice), ...findings });
}

export function skipped(about: About, because: string): Check {
  return make(about, { status: 'skipped', message: `Not checked: ${because}.`, remedy: null });
}

export function unknown(about: About, message: string): Check {
  return make(about, { status: 'unknown', message, remedy: null });
}

function make(
  { id, subject }: About,
  { found, expected, ...rest }: Findings & Pick<Check, 'status' | 'message' | 'remedy'>,
): Check {
  return { id, subject, ...rest, found: found ?? null, expected: expected ?? null };
}

/** The first sentence, and those after it. An address or a number has no blank after its dots. */
export function splitAdvice(advice: string): Pick<Check, 'message' | 'remedy'> {
  const end = advice.search(/[.?!] (?=[\p{Lu}(])/u);
  if (end === -1) return { message: advice, remedy: null };
  return { message: advice.slice(0, end + 1), remedy: advice.slice(end + 2) };
}
