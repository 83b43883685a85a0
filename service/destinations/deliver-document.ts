import type { Log } from '../../helpers/log.ts';
import { judgeAnswer } from './answer.ts';
import {
  refused,
  unknown,
  type Delivery,
  type DmsDestination,
  type DocumentFile,
  type DocumentMetadata,
} from './destination.ts';
import { endpointOf, type Endpoint } from './endpoint.ts';
import { mergeMetadata } from './metadata.ts';
import { explainNoAnswer } from './no-answer.ts';
import type { SecretReader } from './secrets.ts';
import type { MultipartForm } from '../http-client/multipart-form.ts';
import { createUploadForm } from './upload-form.ts';
import {
  sendUpload,
  UPLOAD_TIMEOUTS_MS,
  type Answer,
  type NoAnswer,
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
  /** What the request says of the document; the destination's own metadata is merged into it here. */
  readonly metadata: DocumentMetadata;
  readonly destination: DmsDestination;
  /** Called once, and awaited before anything is sent; the upload is prepared meanwhile. What it throws is thrown on. */
  readonly mayBegin?: () => Promise<void>;
}

/** The one API version that Paperless-ngx 2.16 to 3.0 all know; without a version each takes its own default. */
const ACCEPT = ['application/json; version=9', 'application/json'] as const;

/** Visible ASCII: what an HTTP header can carry, and every token is made of. */
const TOKEN = /^[\x21-\x7e]+$/;

/**
 * Uploads one document to one system, once. Never throws for what the system, the network, a secret or the file does:
 * each becomes an entry whose `error` is one line that a person can act on, without the token.
 */
export async function deliverDocument(delivery: DocumentDelivery): Promise<Delivery> {
  const { document, log } = delivery;
  const started = performance.now();
  const [ready] = await Promise.all([prepare(delivery), delivery.mayBegin?.()]);
  const result = 'problem' in ready ? refused(ready.problem) : await deliverTo(ready, delivery);
  const { entry, outcome } = result;
  const facts = {
    destination: ready.endpoint?.name,
    document: document.filename,
    bytes: document.bytes,
    sha256: document.sha256,
    outcome,
    duration_ms: Math.round(performance.now() - started),
  };
  if (entry.status === 'submitted') {
    log.info({ ...facts, task_id: entry.task_id }, 'document submitted');
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
  try {
    if (endpoint === undefined) {
      throw new Error(
        'base_url is not a plain http:// or https:// address: correct it in the profile',
      );
    }
    const token = await findToken(destination.token_secret, readSecret);
    const form = await prepareForm(delivery);
    return { endpoint, token, form };
  } catch (error) {
    return { endpoint, problem: messageOf(error) };
  }
}

async function deliverTo(ready: Ready, delivery: DocumentDelivery): Promise<Delivery> {
  const { endpoint, token } = ready;
  const { document, destination, signal } = delivery;
  if (signal.aborted) return refused('the deadline passed before the upload began');
  const result = await upload(ready, delivery);
  if (result.kind === 'answer') {
    const judged = judgeAnswer(result, { endpoint, destination, token, bytes: document.bytes });
    return signal.aborted && judged.outcome === 'unknown' ? passedDeadline() : judged;
  }
  if (signal.aborted) {
    return result.connected
      ? passedDeadline()
      : refused(`the deadline passed while connecting to ${endpoint.name}`);
  }
  return explainNoAnswer(result, endpoint.name, delivery.timeouts ?? UPLOAD_TIMEOUTS_MS);
}

function passedDeadline(): Delivery {
  return unknown('the deadline passed while uploading');
}

/** A 406 comes before anything is stored, so asking again in another version cannot make a second document. */
async function upload(
  { endpoint: { uploadUrl: url }, token, form }: Ready,
  { signal, timeouts = UPLOAD_TIMEOUTS_MS }: DocumentDelivery,
): Promise<Answer | NoAnswer> {
  const [pinned, any] = ACCEPT;
  const first = await sendUpload({ url, token, accept: pinned, form, timeouts, signal });
  const again = first.kind === 'answer' && first.status === 406 && !signal.aborted;
  return again ? sendUpload({ url, token, accept: any, form, timeouts, signal }) : first;
}

async function findToken(secret: string, readSecret: SecretReader): Promise<string> {
  const value = await read(secret, readSecret);
  if (value === undefined) {
    throw new Error(`no token: create secret ${secret} or set ${secret.toUpperCase()}`);
  }
  if (TOKEN.test(value)) return value;
  throw new Error(`secret ${secret} holds more than a token: store the bare token in it`);
}

async function read(secret: string, readSecret: SecretReader): Promise<string | undefined> {
  try {
    return await readSecret(secret);
  } catch (error) {
    throw new Error(`no token: ${messageOf(error)}`, { cause: error });
  }
}

async function prepareForm({
  document,
  destination,
  metadata,
}: DocumentDelivery): Promise<MultipartForm> {
  try {
    return await createUploadForm(document, mergeMetadata(destination, metadata));
  } catch (error) {
    const message = `${document.filename} cannot be uploaded: ${messageOf(error)}`;
    throw new Error(message, { cause: error });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : 'unknown error';
}
