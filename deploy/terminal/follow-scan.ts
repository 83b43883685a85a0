import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { readEvents, type StreamEvent } from '../../service/page/event-stream.js';
import { ask, causeOf, plainAnswer, unreachable, type Service } from './ask-service.ts';
import { ClientError } from './client-error.ts';
import { EXIT, type Answer } from './outcome.ts';
import type { Call } from './options.ts';

export interface FollowedService extends Service {
  readonly times?: FollowTimes;
}

/** In milliseconds. */
export interface FollowTimes {
  /** The service sends data every 15 s. After two missing heartbeats the connection is dead. */
  readonly silent: number;
  /** Limit for reconnecting. A service that restarts is back sooner. */
  readonly lost: number;
  readonly pause: number;
}

const TIMES: FollowTimes = { silent: 35_000, lost: 120_000, pause: 2000 };

export interface Followed {
  scanId: string | undefined;
  lastId: string;
}

/**
 * Sends a request and follows its scan: yields the events and returns the response. After a broken
 * connection, continues with the next event. If it does not know whether a new scan started,
 * repeats the request with the same key, which prevents a second scan. Updates `followed`, for
 * callers that stop early.
 */
export async function* followScan(
  service: FollowedService,
  call: Call,
  followed: Followed,
): AsyncGenerator<StreamEvent, Answer> {
  const { lost } = service.times ?? TIMES;
  const beginning = { key: randomUUID(), until: performance.now() + lost };
  let response: Response | undefined = await begin(service, call, followed, beginning);
  while (response) {
    if (!isEventStream(response)) return plainAnswer(response);
    const answer = yield* eventsOf(response, followed, service.times);
    if (answer) return answer;
    response = await reconnect(service, call, followed, beginning);
  }
  return storedAnswer(service, followed);
}

/** Like `followScan`, but passes each event to `onEvent`. */
export async function followToEnd(
  service: FollowedService,
  call: Call,
  onEvent: (event: StreamEvent) => void,
): Promise<Answer> {
  const events = followScan(service, call, { scanId: undefined, lastId: '' });
  for (;;) {
    const next = await events.next();
    if (next.done === true) return next.value;
    onEvent(next.value);
  }
}

function isEventStream({ headers }: Response): boolean {
  return headers.get('content-type')?.startsWith('text/event-stream') === true;
}

/** The key for repeating the request of a new scan, and the deadline for doing so. */
interface Beginning {
  readonly key: string;
  readonly until: number;
}

async function begin(
  service: FollowedService,
  call: Call,
  followed: Followed,
  beginning: Beginning,
): Promise<Response | undefined> {
  if (call.kind !== 'scan') followed.scanId = call.scanId;
  try {
    return await (call.kind === 'watch'
      ? ask(service, eventsPath(call.scanId))
      : post(service, call, beginning.key));
  } catch (error) {
    service.signal?.throwIfAborted();
    if (call.kind === 'scan' && isBroken(error))
      return reconnect(service, call, followed, beginning);
    throw unreachable(service, error);
  }
}

function post(
  service: FollowedService,
  call: Exclude<Call, { kind: 'watch' }>,
  key: string,
): Promise<Response> {
  const path = call.kind === 'scan' ? '/scan' : `/scans/${encodeURIComponent(call.scanId)}/resume`;
  return ask(service, path, {
    method: 'POST',
    body: JSON.stringify(call.kind === 'scan' ? call.body : {}),
    headers: { 'Content-Type': 'application/json', 'Idempotency-Key': key },
  });
}

/** True if the connection broke, so that the request may have arrived. */
function isBroken(error: unknown): boolean {
  const { code } = ((error as Error).cause ?? {}) as { code?: string };
  return code === 'ECONNRESET' || code === 'EPIPE' || code === 'UND_ERR_SOCKET';
}

/** True if a proxy reports that the service is unavailable. */
function isUnavailable(response: Response): boolean {
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return [502, 503, 504].includes(response.status) && !isJson;
}

const eventsPath = (scanId: string): string => `/scans/${encodeURIComponent(scanId)}/events`;

/** Yields the events of a response. Returns undefined if it ends without a result. */
async function* eventsOf(
  { body }: Response,
  followed: Followed,
  { silent }: FollowTimes = TIMES,
): AsyncGenerator<StreamEvent, Answer | undefined> {
  if (!body) return undefined;
  const events = readEvents(body, silent);
  for (;;) {
    const next = await events.next().catch(() => undefined);
    if (next === undefined || next.done === true) return undefined;
    const event = next.value;
    if (event.event === 'result') return JSON.parse(event.data) as Answer;
    followed.lastId = event.id;
    followed.scanId ??= (JSON.parse(event.data) as { scan_id?: string }).scan_id;
    yield event;
  }
}

/** Requests the remaining events. Undefined if there are none. */
async function reconnect(
  service: FollowedService,
  call: Call,
  followed: Followed,
  { key, until: begunUntil }: Beginning,
): Promise<Response | undefined> {
  const { lost, pause } = service.times ?? TIMES;
  const until = followed.scanId === undefined ? begunUntil : performance.now() + lost;
  for (;;) {
    const { scanId, lastId } = followed;
    try {
      if (performance.now() > until) throw new Error('it breaks again and again');
      const response = await (scanId === undefined && call.kind === 'scan'
        ? post(service, call, key)
        : ask(service, eventsPath(scanId ?? ''), { headers: { 'Last-Event-ID': lastId } }));
      if (scanId === undefined && response.status === 409) {
        const answer = await plainAnswer(response);
        if (answer.body['error'] !== 'scan_in_progress') return Response.json(answer.body, answer);
        // The first request arrived, and its scan is running.
        followed.scanId = String(answer.body['scan_id']);
        continue;
      }
      if (isUnavailable(response)) throw new Error(`a proxy answered ${response.status}`);
      return response.status === 204 ? undefined : response;
    } catch (error) {
      service.signal?.throwIfAborted();
      if (performance.now() > until) {
        const advice =
          scanId === undefined ? 'GET /scans shows whether the scan began.' : 'The scan goes on.';
        const message = `The connection to ${service.baseUrl} is lost (${causeOf(error)}). ${advice}`;
        throw new ClientError(message, EXIT.other, error);
      }
      await wait(pause);
    }
  }
}

/** The result of a scan that ended while disconnected, from GET /scans/{scan_id}. */
async function storedAnswer(service: FollowedService, { scanId = '' }: Followed): Promise<Answer> {
  const response = await ask(service, `/scans/${encodeURIComponent(scanId)}`);
  const { body, status } = await plainAnswer(response);
  if (status !== 200) return { status, body };
  const { scan_id, page_count, state, error } = body;
  if (state === 'interrupted') {
    const message = 'The service was stopped in the middle of this scan.';
    return { status: 409, body: { error: 'scan_interrupted', message, scan_id, page_count } };
  }
  const isFailed = typeof error === 'object' && error !== null;
  return isFailed ? { status: 500, body: { ...error, scan_id, page_count } } : { status, body };
}
