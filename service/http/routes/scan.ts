import type { Router } from '@koa/router';
import { Failure } from '../../../helpers/failure.ts';
import { callIdentity } from '../../archive/recorded-calls.ts';
import type { CallIdentity } from '../../archive/scan-event.ts';
import type { Profile } from '../../profiles/profile.ts';
import { withSettings } from '../../profiles/scan-settings.ts';
import { DEFAULT_PROFILE } from '../../profiles/schema.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import { checkSerialNumber } from '../../scan/call/check-serial-number.ts';
import type { Scans } from '../../scan/call/scans.ts';
import { answerCall } from '../events/answer-call.ts';
import type { ScanWatchers } from '../events/scan-watchers.ts';
import { jsonBody } from '../json-body.ts';
import { parseScanRequest } from '../requests.ts';
import { findProfile } from './profiles.ts';
import { NOT_READY } from './system.ts';

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,255}$/;

export interface ScanRouteParts {
  readonly profiles: ProfileStore;
  readonly scans: Scans;
  readonly watchers: ScanWatchers;
}

/** POST /scan. Sends the result or, if preferred, a stream of events and the result. */
export function scanRoutes(router: Router, { profiles, scans, watchers }: ScanRouteParts): void {
  router.post('/scan', jsonBody(), async (ctx) => {
    const request = parseScanRequest(ctx.request.body);
    const identity = identify(ctx.headers['idempotency-key'], request);
    if ('replaces' in request) {
      const { continue_scan: id, ...asked } = request;
      return answerCall(ctx, watchers, (onStart) =>
        scans.scanPageAgain(id, asked, identity, onStart),
      );
    }
    if ('continue_scan' in request) {
      const { continue_scan: id, ...added } = request;
      return answerCall(ctx, watchers, (onStart) =>
        scans.continueScan(id, added, identity, onStart),
      );
    }
    const { profile: name, settings = {}, ...others } = request;
    const profile = withSettings(chooseProfile(profiles, name), settings);
    const call = { ...others, profile, settings };
    checkSerialNumber(call.profile, call.metadata);
    return answerCall(ctx, watchers, (onStart) => scans.scan(call, identity, onStart));
  });
}

/** Rejects an empty key, because its sender relies on safe retries. */
function identify(key: unknown, request: object): CallIdentity | undefined {
  if (key === undefined) return undefined;
  if (typeof key === 'string' && IDEMPOTENCY_KEY.test(key)) return callIdentity(key, request);
  const expected = 'Idempotency-Key must be 1 to 255 printable ASCII characters without spaces';
  throw new Failure('invalid_parameter', expected, {
    facts: { fields: [{ field: 'Idempotency-Key', expected }] },
  });
}

function chooseProfile(profiles: ProfileStore, asked: string | undefined): Profile {
  if (asked !== undefined) return findProfile(profiles, asked);
  const isBroken = profiles.problems().some(({ profile }) => profile === DEFAULT_PROFILE);
  if (profiles.get(DEFAULT_PROFILE) || isBroken) return findProfile(profiles, DEFAULT_PROFILE);
  const names = profiles.list().map((known) => known.name);
  if (names.length === 0) throw new Failure('no_profiles_loaded', NOT_READY.no_profiles_loaded);
  throw new Failure(
    'invalid_body',
    `The request names no profile, and there is none named "${DEFAULT_PROFILE}". Send {"profile": "…"} with one of: ${names.join(', ')}.`,
    { facts: { fields: [{ field: 'profile', expected: '"profile" is missing' }] } },
  );
}
