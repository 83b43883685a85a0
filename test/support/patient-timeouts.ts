import type { RequestTimeouts } from '../../service/http-client/tracked-request.ts';

/** For a system that answers, on a machine however busy. */
export const PATIENT_TIMEOUTS_MS: RequestTimeouts = {
  lookup: 60_000,
  connect: 60_000,
  secureConnect: 60_000,
  socket: 60_000,
  send: 60_000,
  response: 60_000,
  read: 60_000,
};
