import { pino, type DestinationStream, type Logger } from 'pino';
import { Failure } from './failure.ts';

export type Log = Logger;

export const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/**
 * Logs JSON lines to stdout. Of errors under `err`, logs only allow-listed fields: errors of HTTP
 * clients contain requests with authorization headers. `error` is a code or a message.
 */
export function createLog(name: string, level: string, destination?: DestinationStream): Log {
  const options = {
    name,
    level,
    base: { name },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError, error: textOrError },
  };
  return destination ? pino(options, destination) : pino(options);
}

interface DescribedError {
  name: string;
  message: string;
  code?: string;
  stack?: string;
  cause?: DescribedError;
}

function textOrError(error: unknown): string | DescribedError {
  return typeof error === 'string' ? error : describeError(error);
}

function describeError(error: unknown, depth = 0): DescribedError {
  if (!(error instanceof Error)) return { name: typeof error, message: 'not an error' };
  const code = error instanceof Failure ? error.code : (error as NodeJS.ErrnoException).code;
  const expected = error instanceof Failure;
  return {
    name: error.name,
    message: error.message,
    ...(typeof code === 'string' && { code }),
    ...(!expected && error.stack !== undefined && { stack: error.stack }),
    ...(error.cause !== undefined && depth < 5 && { cause: describeError(error.cause, depth + 1) }),
  };
}
