/** A failure that the person at the terminal can act on. Printed without a stack trace. */
export class SetUpError extends Error {
  override readonly name = 'SetUpError';
  readonly exitCode: number;

  constructor(message: string, options: { exitCode?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.exitCode = options.exitCode ?? 1;
  }
}
