import got, { RequestError } from 'got';
import Joi from 'joi';
import { refused, unexpected, unreachable } from './processor-failures.ts';

/** What the processor says of itself. */
export interface ProcessorHealth {
  readonly status: 'ok';
  /** By program. */
  readonly versions: Readonly<Record<string, string>>;
  /** Installed OCR languages. */
  readonly languages: readonly string[];
  /** Pages that it works on at once. */
  readonly workers: number;
}

/** It answers in milliseconds when it is there; the caller's signal is often nearer. */
const TIMEOUT_MS = 5000;

const schema = Joi.object<ProcessorHealth>({
  status: Joi.valid('ok').required(),
  versions: Joi.object().pattern(Joi.string(), Joi.string()).required(),
  languages: Joi.array().items(Joi.string()).required(),
  workers: Joi.number().integer().min(1).required(),
}).unknown();

/** Asks the processor once. Rejects as the methods of the client do. */
export async function askHealth(baseUrl: URL, signal: AbortSignal): Promise<ProcessorHealth> {
  signal.throwIfAborted();
  const answer = await ask(new URL('health', baseUrl), signal).catch((error: unknown) => {
    signal.throwIfAborted();
    if (error instanceof RequestError) throw unreachable(baseUrl, error.code);
    throw error;
  });
  if (answer.status !== 200) throw refused(baseUrl, 'the health check', answer);
  try {
    return Joi.attempt(JSON.parse(answer.text), schema, { convert: false });
  } catch {
    throw unexpected(baseUrl, 'the health check', 'something else than its health');
  }
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
