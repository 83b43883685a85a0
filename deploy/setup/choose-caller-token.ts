import { randomBytes } from 'node:crypto';
import type { SetUpOptions } from './options.ts';
import type { Questions } from './questions.ts';

/** As many as SECURITY.md has made with openssl. */
const TOKEN_BYTES = 20;

export interface CallerTokenContext {
  readonly questions: Questions;
  readonly options: SetUpOptions;
  readonly earlier: string | undefined;
}

/** Offers to make the token that everyone who scans must have. Undefined where there is one already, or none is wanted. */
export async function chooseCallerToken(context: CallerTokenContext): Promise<string | undefined> {
  const { questions, options, earlier } = context;
  if (earlier !== undefined) {
    questions.say('A caller token is set already, in secrets/scan_api_token.');
    return undefined;
  }
  questions.say(
    'Without a caller token, everyone on your network can scan and read what was scanned. With one, the control page\n' +
      'asks for it once on each device, and other callers send it.',
  );
  if (!(await questions.confirm('Make a caller token?', options.callerToken))) return undefined;
  return randomBytes(TOKEN_BYTES).toString('hex');
}
