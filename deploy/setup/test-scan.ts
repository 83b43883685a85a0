import { describeAnswer } from '../terminal/outcome.ts';
import { followToEnd } from '../terminal/follow-scan.ts';
import { eventLine } from '../terminal/progress.ts';
import type { Questions } from './questions.ts';

/** Says in Paperless-ngx what it is, and has no time in it: a service that runs already has its old time zone until it is started again. */
const TITLE = 'Test scan';

/** Scans with the profile, which the service has read, and says page by page how far it is. Returns whether it ended well. */
export async function testScan(
  baseUrl: string,
  profile: string,
  { questions, token }: { readonly questions: Questions; readonly token: string | undefined },
): Promise<boolean> {
  const service = { baseUrl, token };
  const answer = await followToEnd(
    service,
    { kind: 'scan', body: { profile, title: TITLE } },
    (event) => {
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
