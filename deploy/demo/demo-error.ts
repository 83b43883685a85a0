/** An error that the user can fix. Printed with the end of the relevant log, without a stack. */
export class DemoError extends Error {
  readonly logFile: string | undefined;
  readonly exitCode: number;

  constructor(
    message: string,
    options: { logFile?: string; exitCode?: number; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'DemoError';
    this.logFile = options.logFile;
    this.exitCode = options.exitCode ?? 1;
  }
}
