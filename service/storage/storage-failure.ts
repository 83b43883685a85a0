import { errorCode } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';

/** What a file system says when it cannot keep what it is given, and what a person can do about it. */
const TROUBLE: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full: free some space (nothing deletes old scan directories)',
  EDQUOT: 'the quota is used up: free some space (nothing deletes old scan directories)',
  EIO: 'the disk, or the way to it, fails (EIO): check it, and the log of the machine',
  EROFS: 'the file system is read-only: look in the log of the machine why, and mount it writable',
  EACCES: 'the service has no right to it (EACCES): give it to the user of the service',
  EPERM: 'the service has no right to it (EPERM): give it to the user of the service',
  EMFILE: 'the service has too many files open (EMFILE): raise its limit',
  ENFILE: 'the machine has too many files open (ENFILE): raise its limit',
  ENOENT: 'a file or directory of it is gone (ENOENT): did somebody remove or unmount it?',
  ENOTDIR: 'a directory of it is gone (ENOTDIR): did somebody replace it?',
  ESTALE: 'the file server gave it up (ESTALE): mount it again',
};

/**
 * The Failure `insufficient_storage` that an error of the file system means for a scan whose directory it is; undefined for
 * every other error.
 */
export function storageFailure(error: unknown): Failure | undefined {
  const code = errorCode(error);
  const trouble = code !== undefined && Object.hasOwn(TROUBLE, code) ? TROUBLE[code] : undefined;
  if (trouble === undefined) return undefined;
  const message = `the scan directory cannot be used, ${trouble}; pages that were finished are kept`;
  return new Failure('insufficient_storage', message, { cause: error });
}
