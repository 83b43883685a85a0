import { Failure } from '../../helpers/failure.ts';
import type { DmsDestination } from './destination.ts';
import { endpointOf } from './endpoint.ts';
import type { SecretReader } from './secrets.ts';
import { readToken } from './token.ts';
import type { RequestTimeouts } from '../http-client/tracked-request.ts';
import { QUESTION_TIMEOUTS_MS, type DmsAccess } from './ask-dms.ts';

/** Rejects with a Failure that says why a system cannot be asked: no token, or no plain address. */
export type AccessTo = (destination: DmsDestination, signal: AbortSignal) => Promise<DmsAccess>;

/** Reads the token at each access, so that it can be changed while the service runs. */
export function createAccess(
  readSecret: SecretReader,
  timeouts: RequestTimeouts = QUESTION_TIMEOUTS_MS,
): AccessTo {
  return async (destination, signal) => {
    const endpoint = endpointOf(destination.base_url);
    if (!endpoint) {
      const what = 'The base_url of the destination is not a plain http:// or https:// address.';
      const remedy = 'Correct it in the profile.';
      throw new Failure('destination_unavailable', what, { remedy });
    }
    const token = await readToken(destination.token_secret, readSecret);
    return { destination, endpoint, token, signal, timeouts };
  };
}
