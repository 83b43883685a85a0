import type { ProfileProblem } from '../profiles/problems.ts';
import type { ProfileStore } from '../profiles/store.ts';
import type { SecretReader } from '../paperless/secrets.ts';
import { readToken } from '../paperless/token.ts';
import { messageOf } from '../../helpers/error-code.ts';
import { fail, ok, type Check } from './check.ts';

/** This version is of 2026: a clock that says less has not been set, as on a board without a battery. */
const FIRST_YEAR = 2026;

/** File names and TLS depend on the clock. */
export function checkClock(now: Date): Check {
  const about = { id: 'clock', subject: 'this machine' };
  const found = now.toISOString();
  if (now.getUTCFullYear() >= FIRST_YEAR) return ok(about, `The clock says ${found}.`, { found });
  return fail(
    about,
    `The clock says ${found}, which is in the past. Set it, or let NTP through: names of scans and TLS depend on it.`,
    { found, expected: `${FIRST_YEAR} or later` },
  );
}

/** A check for each profile file that was not loaded, and one for all that were. */
export function checkProfiles(profiles: Pick<ProfileStore, 'list' | 'problems'>): Check[] {
  const names = profiles.list().map(({ name }) => name);
  const files = Map.groupBy(profiles.problems(), ({ file }) => file);
  const broken = [...files].map(([file, problems]) => brokenFile(file, problems));
  const about = { id: 'profiles', subject: 'profiles' };
  const loaded =
    names.length > 0
      ? ok(about, `Loaded: ${names.join(', ')}.`, { found: names.join(', ') })
      : fail(about, 'No profile is loaded. Put one into the profiles directory.');
  return [loaded, ...broken];
}

function brokenFile(file: string, problems: readonly ProfileProblem[]): Check {
  const [first] = problems;
  const more = problems.length > 1 ? `, and has ${problems.length - 1} more problems` : '';
  const advice = `${file} is not loaded${more}. ${first?.message ?? ''} ${first?.remedy ?? 'Correct the file'}; the other profiles work.`;
  return fail({ id: 'profiles.file', subject: file }, advice);
}

/** Whether callers need a token, and whether it can be read. */
export function checkCallerToken(
  required:
    | { readonly state: 'none' }
    | { readonly state: 'readable' }
    | { readonly state: 'unreadable'; readonly reason: string },
): Check {
  const about = { id: 'secrets.caller_token', subject: 'scan_api_token' };
  if (required.state === 'readable') return ok(about, 'Callers must present the token.');
  if (required.state === 'none') {
    return ok(about, 'No caller token is set: everyone on the network can scan.');
  }
  return fail(
    about,
    `The caller token cannot be read, so every request is refused (${required.reason}). Correct the secret scan_api_token.`,
  );
}

/** The secret of each token that a profile uses. The token itself is looked at, and never shown. */
export async function checkSecrets(
  profiles: Pick<ProfileStore, 'list'>,
  readSecret: SecretReader,
): Promise<Check[]> {
  const secrets = profiles
    .list()
    .flatMap(({ destinations }) => destinations.map(({ token_secret }) => token_secret));
  return Promise.all(
    [...new Set(secrets)].map(async (subject) => {
      const about = { id: 'secrets.token', subject };
      const problem = await readToken(subject, readSecret).then(() => undefined, messageOf);
      return problem === undefined ? ok(about, 'The token can be read.') : fail(about, problem);
    }),
  );
}
