/** An error that the user can fix. Printed without a stack trace. */
export class SetUpError extends Error {
  override readonly name = 'SetUpError';
  readonly exitCode: number;

  constructor(message: string, options: { exitCode?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
  }
}
