import { get, readAnswer } from '../api.js';
import { readEvents, within } from '../event-stream.js';
import { pause, WOKEN } from '../awake.js';
import { afterEvent, isRunning, viewOf } from './scan-view.js';

/**
 * @typedef {import('../types.d.ts').ScanView} ScanView
 * @typedef {import('../types.d.ts').ScanDetails} ScanDetails
 * @typedef {import('../types.d.ts').ErrorBody} ErrorBody
 * @typedef {import('../types.d.ts').ScanRequest} ScanRequest
 */

/**
 * Callbacks for changes of a scan and of the connection. The signal is aborted when the page shows
 * something else.
 * @typedef {{ onChange: (scan: ScanView) => void, onConnection: (isLost: boolean) => void, signal: AbortSignal }} Follower
 */

/**
 * The outcome of a scan: its last state, and the error of the request. Without a scan, it could not
 * be started or read.
 * @typedef {{ scan?: ScanView | undefined, error?: ErrorBody | undefined }} Followed
 */

/** Silence in milliseconds after which a connection is dead: the service sends every 15 s. */
const SILENT_MS = 25_000;
/** Retry interval after a broken stream, in milliseconds. */
const RETRY_MS = 2000;

/** How long a press is retried, in milliseconds. Later, other paper may be in the feeder. */
const SEND_MS = 30_000;

/**
 * The request was not answered in time, but may have arrived.
 * @type {ErrorBody}
 */
const NOT_ANSWERED = { error: 'not_answered', message: '' };

/**
 * Sends a scan request and follows the scan to its end. If the connection breaks before the scan is
 * known, repeats the request with its key, for up to 30 seconds after the press. Never repeats a
 * request that resends a document.
 * @param {ScanRequest} request
 * @param {Follower} follower
 * @returns {Promise<Followed>}
 */
export async function startScan({ path, body, key }, follower) {
  const request = {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'text/event-stream, application/json;q=0.9',
      ...(path === 'scan' && key !== undefined && { 'Idempotency-Key': key }),
    },
    body: JSON.stringify(body),
  };
  const until = Date.now() + SEND_MS;
  const id = knownScan({ path, body });
  let scan = id === '' ? undefined : await read(id);
  let isBegun = false;
  /* A repeated upload may file the document twice. */
  const isOnce = 'resend_submitted' in body || 'resend_unknown' in body;
  let isSent = false;
  /** @param {AbortSignal} signal */
  const send = async (signal) => {
    /* A request sent into a dead network may arrive much later, so `health` is asked first. */
    const { status } = await get('health');
    if (status === 0) return undefined;
    if (Date.now() > until) return { scan, error: NOT_ANSWERED };
    isSent = true;
    const response = await within(SILENT_MS, fetch(path, { ...request, signal }));
    follower.onConnection(false);
    if (!isStream(response)) return answered(response, id);
    const onChange = (/** @type {ScanView} */ now) => {
      isBegun = true;
      follower.onChange((scan = now));
    };
    return readStream(response, scan, { ...follower, onChange, signal });
  };
  for (;;) {
    const followed = await untilAwake(follower.signal, send);
    if (followed) return followOn(followed, follower);
    if (scan && isBegun) return followScan(scan.scan_id, follower);
    if (isSent && isOnce) return followScan(id, follower);
    follower.onConnection(true);
    await pause(RETRY_MS, follower.signal);
    if (Date.now() > until) return { scan, error: NOT_ANSWERED };
  }
}

/**
 * If the key's scan is already running, follows that scan.
 * @param {Followed} followed
 * @param {Follower} follower
 */
function followOn(followed, follower) {
  const { error, scan_id: other = '' } = followed.error ?? {};
  return error === 'scan_in_progress' && other !== '' ? followScan(other, follower) : followed;
}

/**
 * Follows a scan from its current state to its end.
 * @param {string} id
 * @param {Follower} follower
 * @returns {Promise<Followed>}
 */
export async function followScan(id, follower) {
  for (;;) {
    const { status, body } = await get(`scans/${id}`);
    follower.signal.throwIfAborted();
    follower.onConnection(status === 0);
    /* 5xx answers of the service or a proxy may be temporary; a damaged record is not. */
    const isFinal = status < 500 || body.error === 'scan_record_unreadable';
    if (status >= 400 && isFinal) return { error: body };
    if (status === 200) {
      const scan = viewOf(body);
      follower.onChange(scan);
      if (!isRunning(scan)) return { scan };
      const followed = await untilAwake(follower.signal, async (signal) => {
        const headers = { Accept: 'text/event-stream' };
        const response = await within(SILENT_MS, fetch(`scans/${id}/events`, { headers, signal }));
        return isStream(response) ? readStream(response, scan, { ...follower, signal }) : undefined;
      });
      if (followed) return followed;
    }
    await pause(RETRY_MS, follower.signal);
  }
}

/**
 * @param {Response} response not an event stream
 * @param {string} known id of the requested scan
 * @returns {Promise<Followed>}
 */
async function answered(response, known) {
  const { status, body } = await readAnswer(response);
  const id = body.scan_id ?? known;
  const scan = id === '' ? undefined : await read(id);
  return status === 200 ? { scan } : { scan, error: body };
}

/**
 * Reads all events. Returns undefined if the stream breaks.
 * @param {Response} response
 * @param {ScanView | undefined} scan
 * @param {Pick<Follower, 'onChange' | 'signal'>} follower
 * @returns {Promise<Followed | undefined>}
 */
async function readStream({ body }, scan, { onChange, signal }) {
  if (!body) return undefined;
  /** @type {ScanDetails | undefined} */
  let details;
  for await (const { event, data } of readEvents(body, SILENT_MS)) {
    signal.throwIfAborted();
    const value = JSON.parse(data);
    if (event === 'result') return ended(value, scan);
    details = afterEvent(details, event, value);
    if (details) onChange((scan = viewOf(details)));
  }
  return undefined;
}

/**
 * The stored scan, as a reload shows it. Adds the error of the request if the scan has none.
 * @param {{ status: number, body: ErrorBody }} result
 * @param {ScanView | undefined} scan
 * @returns {Promise<Followed>}
 */
async function ended({ status, body }, scan) {
  /* A repeated request receives only this event. */
  const id = scan?.scan_id ?? body.scan_id;
  const last = (id === undefined ? undefined : await read(id)) ?? scan;
  return status >= 400 && !last?.error ? { scan: last, error: body } : { scan: last };
}

/**
 * @param {string} id
 * @returns {Promise<ScanView | undefined>}
 */
async function read(id) {
  const { status, body } = await get(`scans/${id}`);
  return status === 200 ? viewOf(body) : undefined;
}

/**
 * The id of an existing scan in a request. Empty for a new scan.
 * @param {ScanRequest} request
 */
function knownScan({ path, body }) {
  if (path !== 'scan') return path.split('/')[1] ?? '';
  return typeof body['continue_scan'] === 'string' ? body['continue_scan'] : '';
}

/** @param {Response} response */
function isStream(response) {
  const type = response.headers.get('Content-Type') ?? '';
  return response.ok && type.startsWith('text/event-stream');
}

/** Browsers provide `crypto.randomUUID` only over https. */
export function newKey() {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/**
 * Runs `work` until the phone wakes up or changes its network, since old connections are then dead.
 * Returns undefined then, or if `work` fails. Throws only if `signal` is aborted.
 * @template Result
 * @param {AbortSignal} signal
 * @param {(signal: AbortSignal) => Promise<Result | undefined>} work
 * @returns {Promise<Result | undefined>}
 */
async function untilAwake(signal, work) {
  signal.throwIfAborted();
  const awake = new AbortController();
  const stop = () => awake.abort();
  /* `AbortSignal.any` needs Safari 17.4. */
  const until = { signal: awake.signal };
  signal.addEventListener('abort', stop, until);
  addEventListener(WOKEN, stop, until);
  try {
    return await work(awake.signal);
  } catch {
    signal.throwIfAborted();
    return undefined;
  } finally {
    /* Aborts the open requests of `work` and removes the listeners. */
    stop();
  }
}
