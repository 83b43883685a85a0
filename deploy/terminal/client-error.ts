/** What the person at the terminal can act on: printed without a stack trace, with that exit code. */
export class ClientError extends Error {
  readonly exitCode: number;

  constructor(message: string, exitCode: number, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'ClientError';
    this.exitCode = exitCode;
  }
}
