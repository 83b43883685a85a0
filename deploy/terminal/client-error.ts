/** An error that the user can fix. Printed without a stack trace; sets the exit code. */
export class ClientError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ClientError';
    this.exitCode = exitCode;
  }
}
