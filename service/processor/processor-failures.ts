import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { readErrorBody } from '../../helpers/processor-contract.ts';

export function unreachable(baseUrl: URL, code: string): Failure {
  return new Failure(
    'processor_unreachable',
    `The processor at ${nameOf(baseUrl)} cannot be reached.`,
    { remedy: `Check that it is running and that PROCESSOR_URL is right (${code}).` },
  );
}

interface TextAnswer {
  readonly status: number;
  readonly text: string;
}

/** The failure if the processor, or something else at its address, rejects the request `what`. */
export function refused(baseUrl: URL, what: string, { status, text }: TextAnswer): Failure {
  const body = readErrorBody(text);
  if (!body) {
    const found = `with HTTP ${status} and a body that is not the processor's`;
    return unexpected(baseUrl, what, found);
  }
  return new Failure('processing_failed', `${what} failed. ${body.message}`, {
    facts: { processor_error: body.error },
  });
}

export function unexpected(baseUrl: URL, what: string, found: string): Failure {
  return new Failure('processing_failed', `${what} failed: ${nameOf(baseUrl)} answered ${found}.`, {
    remedy: 'Check PROCESSOR_URL, and that the service and the processor have the same version.',
  });
}

export interface SentFiles {
  readonly paths: readonly string[];
  /** Completes the remedy "move the file out of its directory to". */
  readonly without: string;
}

/** Errors of a file that exists but cannot be read. */
const WITHHELD = ['EIO', 'ESTALE', 'ETIMEDOUT', 'EBADMSG', 'EACCES', 'EPERM'];

/** Returns a Failure that names the file that could not be read. Returns other errors unchanged. */
export function sendingFailed({ paths, without }: SentFiles, error: unknown): unknown {
  const code = errorCode(error) ?? '';
  const named = error instanceof Error ? (error as NodeJS.ErrnoException).path : undefined;
  const file = named ?? (paths.length === 1 ? paths[0] : undefined);
  if (file === undefined || !WITHHELD.includes(code)) return error;
  const { dir, base } = path.parse(file);
  return new Failure(
    'insufficient_storage',
    `${base} of the scan cannot be read (${code}). Check the disk and try again, or move the file out of ${dir} to ${without}.`,
    { cause: error },
  );
}

/** True if a retry may succeed, because the processor is stopping or the request was slow. */
export function isTemporary({ text }: TextAnswer): boolean {
  const error = readErrorBody(text)?.error;
  return error === 'shutting_down' || error === 'request_timeout';
}

function nameOf(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
