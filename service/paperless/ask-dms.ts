import { parseJson } from '../../helpers/read-json.ts';
import {
  ABORTED,
  trackedRequest,
  type NoResponse,
  type RequestTimeouts,
  type TrackedResponse,
} from '../http-client/tracked-request.ts';
import { causeOf, type DmsDestination } from './destination.ts';
import type { Endpoint } from './endpoint.ts';
import { checkAddress, explainUnsent } from './explain-network-error.ts';
import { judgeResponse } from './upload/judge-response.ts';
import { apiHeaders, inAVersion } from './upload/upload.ts';

export interface DmsAccess {
  readonly destination: DmsDestination;
  readonly endpoint: Endpoint;
  readonly token: string;
  readonly signal: AbortSignal;
  readonly timeouts: RequestTimeouts;
}

/** Rejects with a Failure if the token or the address is missing or invalid. */
export type AccessTo = (
  destination: DmsDestination,
  signal: AbortSignal,
  patience?: Patience,
) => Promise<DmsAccess>;

/** `quick` has time limits; `patient` waits for a connected system until the signal aborts. */
export type Patience = 'patient' | 'quick';

/** Short, because the user waits. Systems answer within milliseconds. */
export const QUESTION_TIMEOUTS_MS: RequestTimeouts = {
  lookup: 2500,
  connect: 2500,
  secureConnect: 2500,
  socket: 2500,
  send: 2500,
  response: 2500,
  read: 2500,
};

/** Maximum length of an answer. A list of 1000 names takes about 400 kB. */
const MAX_ANSWER_BYTES = 4_000_000;

export type Answered =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'refused' | 'unavailable'; readonly problem: string };

/** Sends a GET request, or POST with `json`. Returns errors instead of throwing them. */
export async function askDms(
  { destination, endpoint, token, signal, timeouts }: DmsAccess,
  path: string,
  json?: object,
): Promise<Answered> {
  const post = json && { 'content-type': 'application/json' };
  const sendAs = (accept: string): Promise<TrackedResponse | NoResponse> =>
    trackedRequest({
      method: json ? 'POST' : 'GET',
      url: new URL(`${endpoint.name}${path}`),
      headers: { ...post, ...apiHeaders(token, accept) },
      ...(json && { body: JSON.stringify(json) }),
      timeouts,
      signal,
      maxBytes: MAX_ANSWER_BYTES,
    });
  const answer = await inAVersion(sendAs, signal);
  if (answer.kind === 'no_response') {
    return { kind: 'unavailable', problem: explainSilence(answer, endpoint.name, timeouts) };
  }
  if (isForbidden(answer)) return { kind: 'forbidden' };
  const value = answer.status < 300 ? parseJson(answer.body) : undefined;
  if (value !== undefined) return { kind: 'value', value };
  const problem = causeOf(judgeResponse(answer, { endpoint, destination, token, bytes: 0 }));
  return { kind: answer.status === 400 ? 'refused' : 'unavailable', problem };
}

/**
 * True if the token lacks a permission. With remote-user authentication, an invalid token gets 403
 * too.
 */
export function isForbidden({ status, body }: Pick<TrackedResponse, 'status' | 'body'>): boolean {
  return status === 403 && /permission/i.test(body);
}

/** Explains why a request that stores nothing got no response. */
export function explainSilence(
  failed: NoResponse,
  name: string,
  timeouts: RequestTimeouts,
): string {
  const { code, connected, timeout } = failed;
  const seconds = timeout && timeouts[timeout] / 1000;
  if (!connected) {
    return explainUnsent(failed, name, seconds === undefined ? '' : ` within ${seconds} s`);
  }
  if (seconds !== undefined || code === ABORTED) {
    const within = seconds === undefined ? 'in time' : `within ${seconds} s`;
    return `${name} accepted the connection but did not answer ${within}. Check its log.`;
  }
  const what = code.startsWith('HPE_')
    ? `did not answer in HTTP (${code})`
    : `closed the connection without an answer (${code})`;
  return `${name} ${what}. ${checkAddress(name)}`;
}
