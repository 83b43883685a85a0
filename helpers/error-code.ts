/** The code that Node gives the errors of the system, such as ENOENT; undefined for an error without one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
}
