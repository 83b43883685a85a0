import path from 'node:path';
import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { readErrorBody } from '../../helpers/processor-contract.ts';

/** The processor, or the way to it, is not there. `code` is Node's. */
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

/** The processor said no, or something else answered. `what` is what it was asked for. */
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

/** Something answers at the address of the processor that does not speak like it. */
export function unexpected(baseUrl: URL, what: string, found: string): Failure {
  return new Failure('processing_failed', `${what} failed: ${nameOf(baseUrl)} answered ${found}.`, {
    remedy: 'Check PROCESSOR_URL, and that the service and the processor have the same version.',
  });
}

/** The files that a request sends. */
export interface SentFiles {
  readonly paths: readonly string[];
  /** What happens to the scan without one of them: it completes "move the file out of its directory to". */
  readonly without: string;
}

/** What a file system says of a file that it has and does not let be read. */
const WITHHELD = ['EIO', 'ESTALE', 'ETIMEDOUT', 'EBADMSG', 'EACCES', 'EPERM'];

/**
 * A file that could not be sent, as a Failure that names it. Errors come back as they are that do not say which one of several
 * files it was, or are not of its file system.
 */
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

/** Whether the same request may succeed soon: the processor is about to stop, or the request came too slowly. */
export function isTemporary({ text }: TextAnswer): boolean {
  const error = readErrorBody(text)?.error;
  return error === 'shutting_down' || error === 'request_timeout';
}

/** Without credentials. */
function nameOf(url: URL): string {
  return `${url.origin}${url.pathname}`;
}
