import Joi from 'joi';
import { Failure } from '../../helpers/failure.ts';
import { isDiskFull } from '../storage/free-space.ts';
import { IncompleteAnswer } from './store-answer.ts';

/** The error body of the processor. */
interface Refusal {
  error: string;
  message: string;
}

const refusalSchema = Joi.object<Refusal, true>({
  error: Joi.string().required(),
  message: Joi.string().required(),
});

/** The processor, or the way to it, is not there. `code` is Node's. */
export function unreachable(baseUrl: URL, code: string): Failure {
  return new Failure(
    'processor_unreachable',
    `the processor at ${nameOf(baseUrl)} cannot be reached (${code}): check that it runs, and PROCESSOR_URL`,
  );
}

/** The processor said no, or something else answered. `what` is what it was asked for. */
export function refused(
  baseUrl: URL,
  what: string,
  answer: { status: number; text: string },
): Failure {
  const refusal = parseRefusal(answer.text);
  if (!refusal) {
    return unexpected(
      baseUrl,
      what,
      `HTTP ${answer.status}, with an answer that is not the processor's`,
    );
  }
  return new Failure('processing_failed', `${what} failed: ${refusal.message}`, {
    facts: { processor_error: refusal.error },
  });
}

/** Something answers at the address of the processor that does not speak like it. */
export function unexpected(baseUrl: URL, what: string, found: string): Failure {
  return new Failure(
    'processing_failed',
    `${what} failed: ${nameOf(baseUrl)} answered ${found}; check PROCESSOR_URL, and that service and processor are of one version`,
  );
}

/** What became of the file of an answer, as a Failure; other errors are no failures but bugs, and come back as they are. */
export function storingFailed(baseUrl: URL, what: string, error: unknown): unknown {
  if (isDiskFull(error)) {
    return new Failure(
      'insufficient_storage',
      `${what} failed: the disk of the scan directory is full; free some space (nothing deletes old scan directories)`,
      { cause: error },
    );
  }
  if (error instanceof IncompleteAnswer)
    return unexpected(baseUrl, what, `wrongly: ${error.message}`);
  return error;
}

/** Whether the processor refused only because it is about to stop: another replica, or the next one, will not. */
export function isStopping(answer: { status: number; text: string }): boolean {
  return answer.status === 503 && parseRefusal(answer.text)?.error === 'shutting_down';
}

function parseRefusal(text: string): Refusal | undefined {
  try {
    return Joi.attempt(JSON.parse(text), refusalSchema, { convert: false });
  } catch {
    return undefined;
  }
}

/** Without credentials. */
function nameOf(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
