import { beforeAbort } from '../../../helpers/before-abort.ts';
import { messageOf } from '../../../helpers/error-code.ts';
import type { Log } from '../../../helpers/log.ts';
import { cause } from '../causes.ts';
import {
  entryOf,
  type Delivery,
  type Judgement,
  type DmsDestination,
  type DocumentFile,
  type DocumentMetadata,
  type MetadataResolver,
} from '../destination.ts';
import { endpointOf, NO_ADDRESS, type Endpoint } from '../endpoint.ts';
import { explainNetworkError } from '../explain-network-error.ts';
import { judgeResponse } from './judge-response.ts';
import type { SecretReader } from '../secrets.ts';
import { readToken } from '../token.ts';
import { createUploadForm, mergeMetadata } from './upload-form.ts';
import type { RequestTimeouts } from '../../http-client/tracked-request.ts';
import { sendUpload, UPLOAD_TIMEOUTS_MS, type Upload } from './upload.ts';

export interface DocumentDelivery {
  readonly readSecret: SecretReader;
  readonly resolveMetadata: MetadataResolver;
  /** Called before anything is sent. If it rejects, nothing is sent. */
  readonly onReady: () => Promise<void>;
  readonly signal: AbortSignal;
  readonly log: Log;
  readonly timeouts?: RequestTimeouts;
  readonly document: DocumentFile;
  /** The request's metadata, without that of the destination. */
  readonly metadata: DocumentMetadata;
  readonly destination: DmsDestination;
}

/**
 * Uploads once. Any error becomes the `entry`, without the token. Rejects only if `onReady` does.
 */
export async function deliverDocument(delivery: DocumentDelivery): Promise<Delivery> {
  const { document, log } = delivery;
  const started = performance.now();
  const endpoint = endpointOf(delivery.destination.base_url);
  const noAddress: Judgement = { outcome: 'refused', cause: NO_ADDRESS };
  const result = entryOf(endpoint ? await deliverTo(endpoint, delivery) : noAddress);
  const facts = {
    destination: endpoint?.name,
    document: document.filename,
    bytes: document.bytes,
    sha256: document.sha256,
    outcome: result.outcome,
    duration_ms: Math.round(performance.now() - started),
  };
  if (result.entry.status === 'submitted') {
    const { task_id } = result.entry;
    // This address shows the progress, but only to superusers and the user of the token.
    const task_url = `${endpoint?.name}/api/tasks/?task_id=${task_id}`;
    log.info({ event: 'document_submitted', ...facts, task_id, task_url }, 'document submitted');
  } else {
    log.warn(
      { event: 'document_not_submitted', ...facts, reason: result.entry.error },
      'document not submitted',
    );
  }
  return result;
}

async function deliverTo(endpoint: Endpoint, delivery: DocumentDelivery): Promise<Judgement> {
  const { document, destination, signal, onReady } = delivery;
  const tooLate = (): string => cause('deadline/before', {});
  const prepared = prepare(endpoint, delivery).catch(messageOf);
  const upload = await beforeAbort(signal, prepared, tooLate);
  if (typeof upload === 'string') return { outcome: 'refused', cause: upload };
  await onReady();
  if (signal.aborted) return { outcome: 'refused', cause: tooLate() };
  const sent = await sendUpload(upload);
  const { token } = upload;
  const result =
    sent.kind === 'response'
      ? judgeResponse(sent, { endpoint, destination, token, bytes: document.bytes })
      : explainNetworkError(sent, endpoint.name, upload.timeouts);
  if (!signal.aborted) return result;
  if (result.outcome === 'unknown')
    return { outcome: 'unknown', cause: cause('deadline/during', {}) };
  if (sent.kind === 'response') return result;
  return { outcome: 'refused', cause: cause('deadline/connecting', { system: endpoint.name }) };
}

/** Does everything that needs no upload connection. Rejects with the reason as message. */
async function prepare(
  { uploadUrl: url }: Endpoint,
  { document, metadata, destination, readSecret, ...options }: DocumentDelivery,
): Promise<Upload> {
  const { signal, resolveMetadata, timeouts = UPLOAD_TIMEOUTS_MS } = options;
  const token = await readToken(destination.token_secret, readSecret);
  const resolved = await resolveMetadata(destination, mergeMetadata(destination, metadata));
  const form = await createUploadForm(document, resolved).catch((error: unknown) => {
    const facts = { document: document.filename, said: messageOf(error) };
    throw new Error(cause('file_unreadable/before', facts), { cause: error });
  });
  return { url, token, form, signal, timeouts };
}
