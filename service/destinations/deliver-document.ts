import type { Log } from '../../helpers/log.ts';
import type { MultipartForm } from '../http-client/multipart-form.ts';
import {
  refused,
  unknown,
  type Delivery,
  type DmsDestination,
  type DocumentFile,
  type DocumentMetadata,
} from './destination.ts';
import { endpointOf, taskUrl, type Endpoint } from './endpoint.ts';
import { explainNetworkError } from './explain-network-error.ts';
import { judgeResponse } from './judge-response.ts';
import { mergeMetadata } from './merge-metadata.ts';
import { readToken } from './read-token.ts';
import type { SecretReader } from './secrets.ts';
import { createUploadForm } from './upload-form.ts';
import {
  sendUpload,
  UPLOAD_TIMEOUTS_MS,
  type NoResponse,
  type UploadResponse,
  type UploadTimeouts,
} from './upload.ts';

export interface DeliveryOptions {
  readonly readSecret: SecretReader;
  /** Aborted when the deadline of the whole scan passes. */
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly timeouts?: UploadTimeouts;
}

export interface DocumentDelivery extends DeliveryOptions {
  readonly document: DocumentFile;
  /** The metadata of the request; the destination's own are merged into them here. */
  readonly metadata: DocumentMetadata;
  readonly destination: DmsDestination;
}

/** The one API version that Paperless-ngx 2.16 to 3.0 all know; without a version each takes its own default. */
const ACCEPT = ['application/json; version=9', 'application/json'] as const;

/**
 * Uploads one document to one system, once. Never throws for what the system, the network, a secret or the file does:
 * each becomes an entry whose `error` says what happened and what to do, without the token.
 */
export async function deliverDocument(delivery: DocumentDelivery): Promise<Delivery> {
  const { document, log } = delivery;
  const started = performance.now();
  const ready = await prepare(delivery);
  const result = 'problem' in ready ? refused(ready.problem) : await deliverTo(ready, delivery);
  const { entry, outcome } = result;
  const { endpoint } = ready;
  const facts = {
    destination: endpoint?.name,
    document: document.filename,
    bytes: document.bytes,
    sha256: document.sha256,
    outcome,
    duration_ms: Math.round(performance.now() - started),
  };
  if (entry.status === 'submitted') {
    const task_url = endpoint && taskUrl(endpoint, entry.task_id);
    log.info({ ...facts, task_id: entry.task_id, task_url }, 'document submitted');
  } else {
    log.warn({ ...facts, reason: entry.error }, 'document not submitted');
  }
  return result;
}

/** All that an upload needs but the network. */
interface Ready {
  readonly endpoint: Endpoint;
  readonly token: string;
  readonly form: MultipartForm;
}

interface Problem {
  readonly endpoint: Endpoint | undefined;
  readonly problem: string;
}

async function prepare(delivery: DocumentDelivery): Promise<Ready | Problem> {
  const { destination, readSecret } = delivery;
  const endpoint = endpointOf(destination.base_url);
  if (endpoint === undefined) {
    const problem =
      'The base_url of the destination is not a plain http:// or https:// address. Correct it in the profile.';
    return { endpoint, problem };
  }
  try {
    const token = await readToken(destination.token_secret, readSecret);
    return { endpoint, token, form: await prepareForm(delivery) };
  } catch (error) {
    return { endpoint, problem: messageOf(error) };
  }
}

async function deliverTo(ready: Ready, delivery: DocumentDelivery): Promise<Delivery> {
  const { endpoint, token } = ready;
  const { document, destination, signal, timeouts = UPLOAD_TIMEOUTS_MS } = delivery;
  if (signal.aborted) return refused('The deadline passed before the upload began.');
  const result = await upload(ready, { signal, timeouts });
  if (result.kind === 'response') {
    const judged = judgeResponse(result, { endpoint, destination, token, bytes: document.bytes });
    return signal.aborted && judged.outcome === 'unknown' ? passedDeadline() : judged;
  }
  if (!signal.aborted) return explainNetworkError(result, endpoint.name, timeouts);
  if (result.connected) return passedDeadline();
  return refused(`The deadline passed while connecting to ${endpoint.name}.`);
}

function passedDeadline(): Delivery {
  return unknown('The deadline passed during the upload.');
}

/** A 406 comes before anything is stored, so asking again in another version cannot make a second document. */
async function upload(
  { endpoint: { uploadUrl: url }, token, form }: Ready,
  options: { readonly signal: AbortSignal; readonly timeouts: UploadTimeouts },
): Promise<UploadResponse | NoResponse> {
  const [pinned, any] = ACCEPT;
  const first = await sendUpload({ url, token, accept: pinned, form, ...options });
  const again = first.kind === 'response' && first.status === 406 && !options.signal.aborted;
  return again ? sendUpload({ url, token, accept: any, form, ...options }) : first;
}

async function prepareForm({
  document,
  destination,
  metadata,
}: DocumentDelivery): Promise<MultipartForm> {
  try {
    return await createUploadForm(document, mergeMetadata(destination, metadata));
  } catch (error) {
    const message = `${document.filename} cannot be uploaded. Check the scan directory. (${messageOf(error)})`;
    throw new Error(message, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}
