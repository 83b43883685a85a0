import { beforeAbort } from '../../helpers/before-abort.ts';
import type { RequiredToken } from '../http/caller-token.ts';
import { readToken } from '../paperless/token.ts';
import type { SecretReader } from '../paperless/secrets.ts';
import type { ProfileProblem } from '../profiles/problems.ts';
import type { ProfileStore } from '../profiles/store.ts';
import { fail, ok, warn, type Check, type Found } from './check.ts';

/** A clock before the year of this version was never set, as on many small boards. */
const FIRST_YEAR = 2026;

/** As for a password chosen in the browser: only ten wrong tokens are tried per minute and address. */
const SAFE_LENGTH = 8;

/** Checks the clock, the profiles and the caller token. */
export function configurationChecks(
  profiles: Pick<ProfileStore, 'list' | 'problems'>,
  callerToken: { readonly required: () => RequiredToken },
  now: () => Date,
): Check[] {
  const check = (id: string, subject: string, look: () => Found): Check => ({
    id,
    subject,
    run: async () => look(),
  });
  const files = Map.groupBy(profiles.problems(), ({ file }) => file);
  const names = profiles.list().map(({ name }) => name);
  return [
    check('clock', 'this machine', () => clock(now())),
    check('profiles', 'profiles', () => loaded(names, files.size)),
    ...[...files].map(([file, wrong]) =>
      check('profiles.file', file, () => broken(file, wrong, names.length > 0)),
    ),
    check('secrets.caller_token', 'scan_api_token', () => caller(callerToken.required())),
  ];
}

function clock(now: Date): Found {
  const found = now.toISOString();
  if (now.getUTCFullYear() >= FIRST_YEAR) return ok(`The clock says ${found}.`, found);
  const remedy = 'Set it, or let NTP through: names of scans and TLS depend on it.';
  const findings = { found, expected: `${FIRST_YEAR} or later` };
  return fail(`The clock says ${found}, which is in the past.`, remedy, findings);
}

function loaded(names: readonly string[], broken: number): Found {
  if (names.length > 0) return ok(`Loaded: ${names.join(', ')}.`, names.join(', '));
  if (broken > 0)
    return fail('No profile is loaded: each file has a mistake.', 'See what is said of each file.');
  return fail('No profile is loaded.', 'Put one into the profiles directory.');
}

/** People cannot correct a broken shipped file, so it is skipped if other profiles work. */
function broken(
  file: string,
  [first, ...others]: readonly ProfileProblem[],
  hasOthers: boolean,
): Found {
  if (first?.isShipped && hasOthers)
    return { status: 'skipped', what: `The shipped ${file} is not offered. ${first.message}` };
  const more = others.length > 0 ? `, and has ${others.length} more problems` : '';
  const what = `${file} is not loaded${more}. ${first?.message ?? ''}`;
  const correct = first?.isShipped
    ? 'Do not edit it: set what it names in .env'
    : 'Correct the file';
  const remedy = `${first?.remedy ?? correct}${hasOthers ? '; the other profiles work' : ''}.`;
  return fail(what, remedy);
}

function caller(required: RequiredToken): Found {
  if (required.state === 'readable') {
    if (required.token.length >= SAFE_LENGTH) return ok('Callers must present the token.');
    const remedy = 'Make another one, as with: openssl rand -hex 20';
    const expected = `${SAFE_LENGTH} characters or more`;
    return warn('The caller token is short: it can be guessed.', remedy, { expected });
  }
  if (required.state === 'none')
    return ok(
      'No caller token is set: everyone on the network can scan.',
      undefined,
      'secrets.caller_token.none',
    );
  const what = `The caller token cannot be read, so every request is refused (${required.reason}).`;
  return fail(what, 'Correct the secret scan_api_token.');
}

/** If the disk hangs, this check ends before the whole self-test does. */
const TOKEN_MS = 3000;

/** Never shows the token. */
export function secretCheck(secret: string, readSecret: SecretReader, tokenMs = TOKEN_MS): Check {
  return {
    id: 'secrets.token',
    subject: secret,
    run: async () => {
      const read = readToken(secret, readSecret).then(() => ok('The token can be read.'));
      return beforeAbort(AbortSignal.timeout(tokenMs), read, () => {
        const what = `The file of the secret ${secret} did not answer within ${tokenMs / 1000} s.`;
        return fail(what, 'Check the disk or the network share that the secrets lie on.');
      });
    },
  };
}
