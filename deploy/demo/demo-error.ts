/** Something a person at the terminal can act on: printed without a stack, with the end of the log concerned. */
export class DemoError extends Error {
  /** File whose last lines tell more. */
  readonly logFile: string | undefined;

  constructor(message: string, options: { logFile?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'DemoError';
    this.logFile = options.logFile;
  }
}
