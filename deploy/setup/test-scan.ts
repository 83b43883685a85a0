import type { StreamEvent } from '../../service/page/event-stream.js';
import { describeAnswer } from '../terminal/outcome.ts';
import { followToEnd } from '../terminal/follow-scan.ts';
import { eventLine } from '../terminal/progress.ts';
import type { Questions } from './questions.ts';

/** Without a time: a running service keeps its old time zone until a restart. */
const TITLE = 'Test scan';

export interface TestScanOptions {
  readonly questions: Questions;
  readonly token: string | undefined;
  /** Stops following the scan, not the scan itself. */
  readonly signal: AbortSignal;
  readonly onEvent: (event: StreamEvent) => void;
}

/** Returns true if the scan succeeded. */
export async function testScan(
  baseUrl: string,
  profile: string,
  { questions, token, signal, onEvent }: TestScanOptions,
): Promise<boolean> {
  const service = { baseUrl, token, signal };
  const answer = await followToEnd(
    service,
    { kind: 'scan', body: { profile, title: TITLE } },
    (event) => {
      onEvent(event);
      const line = eventLine(event);
      if (line !== undefined) questions.say(line);
    },
  );
  questions.say(describeAnswer(answer, { command: 'npm run scan --', baseUrl: undefined }));
  if (answer.body['error'] === 'output_dir_in_use') {
    questions.say(`The appliance is running already. Scan with it:\n  npm run scan -- ${profile}`);
  }
  return answer.status === 200;
}
