export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

export function errorPath(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).path : undefined;
}

/** True if the file or a parent directory does not exist. */
export function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
}

/** Shortages of the process or machine; the file is not at fault. */
const SHORTAGES = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'];

export function isShortage(error: unknown): boolean {
  return SHORTAGES.includes(errorCode(error) ?? '');
}

/** Temporary errors of disks and network shares. */
const DISK_TROUBLE = ['EIO', 'ESTALE', 'ETIMEDOUT'];

/** True if a retry may succeed without a change to the file. */
export function isTransient(error: unknown): boolean {
  return isShortage(error) || DISK_TROUBLE.includes(errorCode(error) ?? '');
}

export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '');
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
