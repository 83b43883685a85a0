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
import { createUploadForm, type UploadForm } from './upload-form.ts';
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
  const { document, destination, log } = delivery;
  const started = performance.now();
  const endpoint = endpointOf(destination.base_url);
  const result =
    endpoint === undefined
      ? refused('base_url is not a plain http:// or https:// address: correct it in the profile')
      : await deliverTo(endpoint, delivery);
  const { entry, outcome } = result;
  const facts = {
    destination: endpoint?.name,
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

async function deliverTo(endpoint: Endpoint, delivery: DocumentDelivery): Promise<Delivery> {
  const { document, destination, readSecret, signal } = delivery;
  const token = await findToken(destination.token_secret, readSecret);
  if ('problem' in token) return refused(token.problem);
  const form = await prepareForm(delivery);
  if ('problem' in form) return refused(form.problem);
  if (signal.aborted) return refused('the deadline passed before the upload began');
  const result = await upload(endpoint, token.value, form, delivery);
  if (result.kind === 'answer') {
    const facts = { endpoint, destination, token: token.value, bytes: document.bytes };
    const judged = judgeAnswer(result, facts);
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
  { uploadUrl: url }: Endpoint,
  token: string,
  form: UploadForm,
  { signal, timeouts = UPLOAD_TIMEOUTS_MS }: DocumentDelivery,
): Promise<Answer | NoAnswer> {
  const [pinned, any] = ACCEPT;
  const first = await sendUpload({ url, token, accept: pinned, form, timeouts, signal });
  const again = first.kind === 'answer' && first.status === 406 && !signal.aborted;
  return again ? sendUpload({ url, token, accept: any, form, timeouts, signal }) : first;
}

interface Problem {
  readonly problem: string;
}

async function findToken(
  secret: string,
  readSecret: SecretReader,
): Promise<{ readonly value: string } | Problem> {
  try {
    const value = await readSecret(secret);
    if (value === undefined) {
      return { problem: `no token: create secret ${secret} or set ${secret.toUpperCase()}` };
    }
    if (TOKEN.test(value)) return { value };
    return { problem: `secret ${secret} holds more than a token: store the bare token in it` };
  } catch (error) {
    return { problem: `no token: ${error instanceof Error ? error.message : 'unknown error'}` };
  }
}

async function prepareForm(delivery: DocumentDelivery): Promise<UploadForm | Problem> {
  const { document, destination, metadata } = delivery;
  try {
    return await createUploadForm(document, mergeMetadata(destination, metadata));
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'unknown error';
    return { problem: `${document.filename} cannot be uploaded: ${reason}` };
  }
}
