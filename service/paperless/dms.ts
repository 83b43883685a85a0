import type { RequestTimeouts } from '../http-client/tracked-request.ts';
import { createNames, type Names } from './names/names.ts';
import type { SecretReader } from './secrets.ts';
import { beforeAbort } from '../../helpers/before-abort.ts';
import { Failure } from '../../helpers/failure.ts';
import { cause } from './causes.ts';
import { endpointOf, NO_ADDRESS } from './endpoint.ts';
import { readToken } from './token.ts';
import { QUESTION_TIMEOUTS_MS, type AccessTo } from './ask-dms.ts';

export interface Dms {
  readonly readSecret: SecretReader;
  readonly accessTo: AccessTo;
  /** Caches names during one scan. `signal` aborts its requests. */
  readonly names: (signal: AbortSignal) => Names;
}

export function createDms(readSecret: SecretReader, timeouts?: RequestTimeouts): Dms {
  const accessTo = createAccess(readSecret, timeouts);
  return { readSecret, accessTo, names: createNames(accessTo) };
}

/** The longest delay of a Node timer. */
const NO_LIMIT_MS = 2_147_483_647;

const UNTIL_THE_SIGNAL = {
  socket: NO_LIMIT_MS,
  send: NO_LIMIT_MS,
  response: NO_LIMIT_MS,
  read: NO_LIMIT_MS,
};

/** Reads the token each time, so that it can be changed without a restart. */
export function createAccess(
  readSecret: SecretReader,
  timeouts: RequestTimeouts = QUESTION_TIMEOUTS_MS,
): AccessTo {
  return async (destination, signal, patience = 'quick') => {
    const endpoint = endpointOf(destination.base_url);
    if (!endpoint) throw new Failure('destination_unavailable', NO_ADDRESS);
    const token = await beforeAbort(signal, readToken(destination.token_secret, readSecret), () => {
      throw new Failure('destination_unavailable', cause('deadline/before', {}));
    });
    const isPatient = patience === 'patient';
    return {
      destination,
      endpoint,
      token,
      signal,
      timeouts: isPatient ? { ...timeouts, ...UNTIL_THE_SIGNAL } : timeouts,
    };
  };
}
