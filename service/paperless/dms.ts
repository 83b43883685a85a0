import type { RequestTimeouts } from '../http-client/tracked-request.ts';
import { createAccess, type AccessTo } from './dms-access.ts';
import { createNames, type Names } from './names/names.ts';
import type { SecretReader } from './secrets.ts';

/** What the service knows of the systems that documents go to, and how it asks them. */
export interface Dms {
  readonly readSecret: SecretReader;
  readonly accessTo: AccessTo;
  /** The names of one call, which ends with `signal`. */
  readonly names: (signal: AbortSignal) => Names;
}

export function createDms(readSecret: SecretReader, timeouts?: RequestTimeouts): Dms {
  const accessTo = createAccess(readSecret, timeouts);
  return { readSecret, accessTo, names: createNames(accessTo) };
}
