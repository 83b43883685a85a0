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
 * Who follows a scan: called with each state of it, and with whether the service can be reached. The signal is aborted when the
 * page shows something else.
 * @typedef {{ onChange: (scan: ScanView) => void, onConnection: (isLost: boolean) => void, signal: AbortSignal }} Follower
 */

/**
 * What came of following a scan: it ended, or could not be begun or read. A scan that ended well enough may still have an error of
 * the last call.
 * @typedef {{ scan?: ScanView | undefined, error?: ErrorBody | undefined }} Followed
 */

/** The service says something every 15 seconds: the connection is dead, or slow enough to be made anew. In milliseconds. */
const SILENT_MS = 25_000;
/** Between two looks at a scan whose stream broke off. In milliseconds. */
const RETRY_MS = 2000;

/** After this the paper in the feeder may be somebody else's: a press is not sent any more. In milliseconds. */
const SEND_MS = 30_000;

/**
 * No answer in time: whether the press arrived is not known.
 * @type {ErrorBody}
 */
const NOT_ANSWERED = { error: 'not_answered', message: '' };

/**
 * Makes a call for a scan, and follows the scan to its end. Where the connection breaks off, the same call is made again only
 * until the scan is known, with a key that keeps it from scanning twice; then the scan is read. A call that sends a document again
 * is not made a second time. The call is never made later than 30 seconds after the press.
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
  /* A system that has not filed the document yet would be sent it twice. */
  const isOnce = 'resend_submitted' in body || 'resend_unknown' in body;
  let isSent = false;
  /** @param {AbortSignal} signal */
  const send = async (signal) => {
    /* What is sent into a network that lets nothing through may arrive when it does again. */
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
 * What a call came to; the scan of an earlier call for the same press, where that is still under way.
 * @param {Followed} followed
 * @param {Follower} follower
 */
function followOn(followed, follower) {
  const { error, scan_id: other = '' } = followed.error ?? {};
  return error === 'scan_in_progress' && other !== '' ? followScan(other, follower) : followed;
}

/**
 * Follows a scan to its end, from whatever it is at now.
 * @param {string} id
 * @param {Follower} follower
 * @returns {Promise<Followed>}
 */
export async function followScan(id, follower) {
  for (;;) {
    const { status, body } = await get(`scans/${id}`);
    follower.signal.throwIfAborted();
    follower.onConnection(status === 0);
    /* The service, and what stands before it, may be able to answer later; a damaged record stays damaged. */
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
 * @param {Response} response one that is no stream
 * @param {string} known id of the scan that the call was for
 * @returns {Promise<Followed>}
 */
async function answered(response, known) {
  const { status, body } = await readAnswer(response);
  const id = body.scan_id ?? known;
  const scan = id === '' ? undefined : await read(id);
  return status === 200 ? { scan } : { scan, error: body };
}

/**
 * Reads events to the last one; undefined where the stream breaks off.
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
 * The scan as it can be read from now on, which is what a reload shows; and the error of the call where the scan has none.
 * @param {{ status: number, body: ErrorBody }} result
 * @param {ScanView | undefined} scan
 * @returns {Promise<Followed>}
 */
async function ended({ status, body }, scan) {
  /* A call made again, because its answer was lost, is only sent this last event. */
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
 * Id of the scan that a request is for; empty for a new one.
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

/** Not `crypto.randomUUID`: on a LAN without https, a browser has none. */
export function newKey() {
  return crypto.getRandomValues(new Uint32Array(4)).join('-');
}

/**
 * Runs `work` until the phone wakes up or changes its network: a connection from before is dead, often without anyone noticing.
 * Resolves with undefined then, and where `work` fails; throws only when `signal` is aborted.
 * @template Result
 * @param {AbortSignal} signal
 * @param {(signal: AbortSignal) => Promise<Result | undefined>} work
 * @returns {Promise<Result | undefined>}
 */
async function untilAwake(signal, work) {
  signal.throwIfAborted();
  const awake = new AbortController();
  const stop = () => awake.abort();
  /* Not `AbortSignal.any`, which Safari has since 17.4 only. */
  const until = { signal: awake.signal };
  signal.addEventListener('abort', stop, until);
  addEventListener(WOKEN, stop, until);
  try {
    return await work(awake.signal);
  } catch {
    signal.throwIfAborted();
    return undefined;
  } finally {
    /* Ends what `work` has left open, and takes the listeners away. */
    stop();
  }
}
