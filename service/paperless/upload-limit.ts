import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { CHECK_HEADERS, apiHeaders } from './upload/upload.ts';
import type { DmsAccess } from './ask-dms.ts';

/** Announced size of the upload, larger than 200 pages in color. */
const ANNOUNCED_MEGABYTES = 200;

/**
 * How long to wait for an answer to the headers. A proxy that rejects this size answers at once;
 * other systems may wait for the body.
 */
const ANSWER_MS = 2000;

export interface UploadLimit {
  /** `unsaid`: the system waits for the body. `unknown`: the connection failed. */
  readonly answer: 'accepted' | 'too_large' | 'unsaid' | 'unknown';
  readonly megabytes: number;
}

/** Announces a large upload with `Expect: 100-continue`, and never sends it. */
export async function askUploadLimit({ endpoint, token, signal }: DmsAccess): Promise<UploadLimit> {
  const { promise, resolve } = Promise.withResolvers<UploadLimit['answer']>();
  const { uploadUrl: url } = endpoint;
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const timeout = AbortSignal.timeout(ANSWER_MS);
  const request = send(url, {
    method: 'POST',
    agent: false,
    signal: AbortSignal.any([signal, timeout]),
    headers: {
      ...apiHeaders(token),
      ...CHECK_HEADERS,
      'content-type': 'multipart/form-data; boundary=self-test',
      'content-length': ANNOUNCED_MEGABYTES * 1_000_000,
      expect: '100-continue',
    },
  });
  request.once('continue', () => resolve('accepted'));
  request.once('response', ({ statusCode }) =>
    resolve(statusCode === 413 ? 'too_large' : 'unsaid'),
  );
  request.on('error', () => resolve(timeout.aborted ? 'unsaid' : 'unknown'));
  request.flushHeaders();
  try {
    return { answer: await promise, megabytes: ANNOUNCED_MEGABYTES };
  } finally {
    request.destroy();
  }
}
