import { RequestError } from 'got';
import { readHealth, type ProcessorHealth } from '../../helpers/processor-contract.ts';
import { singleRequest } from '../http-client/single-request.ts';
import { refused, unexpected, unreachable } from './processor-failures.ts';

/** It answers in milliseconds when it is there; the caller's signal is often nearer. */
const TIMEOUT_MS = 5000;

/** Asks the processor once. Rejects as the methods of the client do. */
export async function askHealth(baseUrl: URL, signal: AbortSignal): Promise<ProcessorHealth> {
  signal.throwIfAborted();
  const options = { timeout: { request: TIMEOUT_MS }, signal };
  const url = new URL('health', baseUrl);
  const answer = await singleRequest.get(url, options).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof RequestError) throw unreachable(baseUrl, error.code);
    throw error;
  });
  const { statusCode: status, body: text } = answer;
  if (status !== 200) throw refused(baseUrl, 'The health check', { status, text });
  const health = readHealth(text);
  if (!health) throw unexpected(baseUrl, 'The health check', 'with a body that is not its health');
  return health;
}
