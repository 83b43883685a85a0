/** The code that Node gives the errors of the system, such as ENOENT; undefined for an error without one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}

/** Whether the process or the machine has too many files open: that says nothing about the file that was to be opened. */
export function isDescriptorShortage(error: unknown): boolean {
  return ['EMFILE', 'ENFILE'].includes(errorCode(error) ?? '');
}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
