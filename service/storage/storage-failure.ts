import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';

/** What a file system says when it cannot keep what it is given, and what a person can do about it. */
const TROUBLE: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full. Free some space; the service never deletes old scan directories.',
  EDQUOT:
    'The disk quota is used up. Free some space; the service never deletes old scan directories.',
  EIO: 'The disk, or the connection to it, fails (EIO). Check it, and the log of the machine.',
  EROFS: 'The file system is read-only. The log of the machine says why; mount it writable.',
  EACCES: notPermitted('EACCES'),
  EPERM: notPermitted('EPERM'),
  EMFILE: 'The service has too many files open (EMFILE). Raise its limit.',
  ENFILE: 'The machine has too many files open (ENFILE). Raise its limit.',
  ENOENT:
    'A file or the directory of the scan is gone (ENOENT). Check whether it was removed or unmounted.',
  ENOTDIR: 'A directory of the scan is gone (ENOTDIR). Check whether it was replaced.',
  ENOMEM: 'The machine has no memory left (ENOMEM). End other programs, or give it more.',
  EAGAIN:
    'The machine is short of something (EAGAIN). Try again; the log of the machine says more.',
  ETIMEDOUT: 'The file server did not answer (ETIMEDOUT). Check the connection to it.',
  ESTALE: 'The file server no longer knows the scan directory (ESTALE). Mount it again.',
};

function notPermitted(code: string): string {
  const user = process.getuid?.() ?? 'its user';
  return `The service may not read or write in the scan directory (${code}). Give it to the user of the service: sudo chown -R ${user} <output_dir>`;
}

/**
 * The Failure `insufficient_storage` that an error of the file system means for a scan whose directory it is; undefined for
 * every other error.
 */
export function storageFailure(error: unknown): Failure | undefined {
  const code = errorCode(error);
  const message = code !== undefined && Object.hasOwn(TROUBLE, code) ? TROUBLE[code] : undefined;
  if (message === undefined) return undefined;
  return new Failure('insufficient_storage', message, { cause: error });
}
