import { createLog, type Log } from '../../helpers/log.ts';

export interface CapturedLog {
  readonly log: Log;
  readonly text: () => string;
  readonly lines: () => Record<string, unknown>[];
}

export function capturedLog(): CapturedLog {
  const written: string[] = [];
  const log = createLog('test', 'trace', { write: (line: string) => void written.push(line) });
  return {
    log,
    text: () => written.join(''),
    lines: () => written.map((line) => JSON.parse(line) as Record<string, unknown>),
  };
}
