import type { DmsDestination } from './destination.ts';
import { endpointOf } from './endpoint.ts';
import type { SecretReader } from './secrets.ts';
import { readToken } from './token.ts';
import type { RequestTimeouts } from '../http-client/tracked-request.ts';
import { QUESTION_TIMEOUTS_MS, type DmsAccess } from './ask-dms.ts';

/** Rejects with an Error that says why a system cannot be asked: no token, or no plain address. */
export type AccessTo = (destination: DmsDestination, signal: AbortSignal) => Promise<DmsAccess>;

/** Reads the token at each access, so that it can be changed while the service runs. */
export function createAccess(
  readSecret: SecretReader,
  timeouts: RequestTimeouts = QUESTION_TIMEOUTS_MS,
): AccessTo {
  return async (destination, signal) => {
    const endpoint = endpointOf(destination.base_url);
    if (!endpoint) {
      throw new Error(
        'The base_url of the destination is not a plain http:// or https:// address. Correct it in the profile.',
      );
    }
    const token = await readToken(destination.token_secret, readSecret);
    return { destination, endpoint, token, signal, timeouts };
  };
}
