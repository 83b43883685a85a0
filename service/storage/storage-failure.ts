import path from 'node:path';
import { errorCode, errorPath } from '../../helpers/error-code.ts';
import { Failure } from '../../helpers/failure.ts';
import { SCAN_ID } from '../archive/scan-id.ts';
import { giveCommand } from './give-directory.ts';

/** What each file system error means, and what to do. */
const TROUBLE: Readonly<Record<string, string>> = {
  ENOSPC: 'The disk is full. Free some space; the service never deletes old scan directories.',
  EDQUOT:
    'The disk quota is used up. Free some space; the service never deletes old scan directories.',
  EIO: 'The disk, or the connection to it, fails (EIO). Check it, and the log of the machine.',
  EROFS: 'The file system is read-only. The log of the machine says why; mount it writable.',
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

/** The advice is about the whole output directory, because all scans have the same owner. */
function notPermitted(code: string, place: string | undefined): string {
  const what = `The service may not read or write in the scan directory (${code}).`;
  return place === undefined ? what : `${what} ${giveCommand(outputDirectory(place))}`;
}

/** Returns the parent of the scan's directory, or the path itself if it is not in a scan. */
function outputDirectory(place: string): string {
  const parts = place.split(path.sep);
  const scan = parts.findIndex((part) => SCAN_ID.test(part));
  return scan === -1 ? place : parts.slice(0, scan).join(path.sep);
}

/** Returns Failure `insufficient_storage` for an error of the file system, else undefined. */
export function storageFailure(error: unknown): Failure | undefined {
  const message = messageFor(error);
  if (message === undefined) return undefined;
  return new Failure('insufficient_storage', message, { cause: error });
}

/** Returns Failure `insufficient_storage` for an error of the file system, else the error. */
export function writeFailure(directory: string, error: unknown): unknown {
  const code = errorCode(error);
  if (error instanceof Failure || code === undefined) return error;
  const isForbidden = code === 'EACCES' || code === 'EPERM';
  const known = isForbidden ? undefined : storageFailure(error);
  const what = `The service cannot write to ${directory} (${code}).`;
  const remedy = isForbidden ? giveCommand(directory) : 'Check the directory, and the disk.';
  return known ?? new Failure('insufficient_storage', what, { remedy, cause: error });
}

function messageFor(error: unknown): string | undefined {
  const code = errorCode(error);
  if (code === undefined) return undefined;
  if (code === 'EACCES' || code === 'EPERM') return notPermitted(code, errorPath(error));
  return Object.hasOwn(TROUBLE, code) ? TROUBLE[code] : undefined;
}
