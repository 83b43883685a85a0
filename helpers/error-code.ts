/** The code that Node gives the errors of the system, such as ENOENT; undefined for an error without one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** The file that an error of the system is about, where it says so. */
export function errorPath(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).path : undefined;
}

/** Whether the system says that there is nothing of that name. */
export function isNotThere(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '');
}

/** What is short in the process or the machine, and not in the file. */
const SHORTAGES = ['EMFILE', 'ENFILE', 'ENOMEM', 'EAGAIN'];

/** Whether something is short, such as file descriptors or memory: that says nothing about the file that was to be read. */
export function isShortage(error: unknown): boolean {
  return SHORTAGES.includes(errorCode(error) ?? '');
}

/** What a disk, or the network to it, says at one moment and not at the next. */
const DISK_TROUBLE = ['EIO', 'ESTALE', 'ETIMEDOUT'];

/** Whether an error of the file system may be gone at the next try, without anybody changing a file. */
export function mayPass(error: unknown): boolean {
  return isShortage(error) || DISK_TROUBLE.includes(errorCode(error) ?? '');
}

/** Whether an error says that the disk, or the quota, is full. */
export function isDiskFull(error: unknown): boolean {
  return ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '');
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
