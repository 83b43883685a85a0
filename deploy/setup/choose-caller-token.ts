import { newCallerToken } from '../../service/set-up/caller-token.ts';
import { messageFor, textOf } from '../../service/set-up/texts/texts.ts';
import type { SetUpOptions } from './options.ts';
import type { Questions } from './questions.ts';

export interface CallerTokenContext {
  readonly questions: Questions;
  readonly options: SetUpOptions;
  readonly earlier: string | undefined;
}

/** Offers to create a caller token. Undefined if there already is one, or the user declines. */
export async function chooseCallerToken(context: CallerTokenContext): Promise<string | undefined> {
  const { questions, options, earlier } = context;
  if (earlier !== undefined) {
    questions.say(textOf(messageFor('access.token_set')));
    return undefined;
  }
  questions.say(textOf(messageFor('access.without_token')));
  if (!(await questions.confirm('Make a caller token?', options.callerToken))) return undefined;
  return newCallerToken();
}
