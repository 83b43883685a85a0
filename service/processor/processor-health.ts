import got, { RequestError } from 'got';
import { readHealth, type ProcessorHealth } from '../../helpers/processor-contract.ts';
import { refused, unexpected, unreachable } from './processor-failures.ts';

/** It answers in milliseconds when it is there; the caller's signal is often nearer. */
const TIMEOUT_MS = 5000;

/** Asks the processor once. Rejects as the methods of the client do. */
export async function askHealth(baseUrl: URL, signal: AbortSignal): Promise<ProcessorHealth> {
  signal.throwIfAborted();
  const answer = await ask(new URL('health', baseUrl), signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof RequestError) throw unreachable(baseUrl, error.code);
    throw error;
  });
  if (answer.status !== 200) throw refused(baseUrl, 'The health check', answer);
  const health = readHealth(answer.text);
  if (!health) throw unexpected(baseUrl, 'The health check', 'with a body that is not its health');
  return health;
}

async function ask(url: URL, signal: AbortSignal): Promise<{ status: number; text: string }> {
  const response = await got.get(url, {
    timeout: { request: TIMEOUT_MS },
    signal,
    followRedirect: false,
    retry: { limit: 0 },
    throwHttpErrors: false,
  });
  return { status: response.statusCode, text: response.body };
}
