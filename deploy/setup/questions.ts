import { createInterface, type Interface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { styleText } from 'node:util';
import { SetUpError } from './set-up-error.ts';

export interface Question {
  readonly question: string;
  /** The answer from an option, so nothing is asked. */
  readonly given?: string | undefined;
  /** Used for an empty answer. Without a suggestion, an answer is required. */
  readonly suggestion?: string | undefined;
  /** Named in the error if asking is impossible. */
  readonly option: string;
  readonly secret?: boolean;
}

export interface Questions {
  readonly say: (text: string) => void;
  /** The trimmed answer. Empty only if the suggestion is. */
  readonly text: (question: Question) => Promise<string>;
  /** One of `choices`, by its number or name, or an answer that matches `other`. */
  readonly choice: (
    question: Question & { readonly choices: readonly string[]; readonly other?: RegExp },
  ) => Promise<string>;
  readonly confirm: (question: string, given: boolean | undefined) => Promise<boolean>;
  /** True if wrong answers can be asked for again. */
  readonly canAsk: boolean;
  readonly close: () => void;
}

/**
 * Asks on this terminal, unless `canAsk` is false. Ctrl-C and Ctrl-D call `onStop`, even between
 * questions, since raw mode sends no signals. An open question then rejects with a SetUpError.
 */
export function createQuestions(canAsk: boolean, onStop: () => void): Questions {
  const terminal = canAsk ? openTerminal(onStop) : undefined;
  const say = (line: string): void => console.log(line);

  const text = async (question: Question): Promise<string> => {
    const { given, suggestion, option } = question;
    if (given !== undefined) return given.trim();
    if (terminal === undefined) {
      if (suggestion !== undefined) return suggestion;
      throw new SetUpError(`There is no answer to "${question.question}". Give it with ${option}.`);
    }
    for (;;) {
      const answer = (await terminal.ask(question)).trim() || suggestion;
      if (answer !== undefined) return answer;
      say('An answer is needed here. Ctrl-C ends the set-up.');
    }
  };
  return {
    say,
    text,
    choice: async ({ choices, other, ...question }) => {
      let { given } = question;
      if (terminal !== undefined && given === undefined) {
        for (const [index, choice] of choices.entries()) say(`  ${index + 1}  ${choice}`);
      }
      for (;;) {
        const answer = await text({ ...question, given });
        const sameLetters = (choice: string): boolean =>
          choice.toLowerCase() === answer.toLowerCase();
        const chosen =
          choices.find((choice) => choice === answer) ??
          choices.find(sameLetters) ??
          choices[Number(answer) - 1];
        if (chosen !== undefined) return chosen;
        if (other?.test(answer) === true) return answer;
        const problem = `"${answer}" is not one of`;
        if (terminal === undefined)
          throw new SetUpError(`${problem} ${choices.join(', ')}. Correct ${question.option}.`);
        say(`${problem} these. Answer with a number from 1 to ${choices.length}.`);
        given = undefined;
      }
    },
    confirm: async (question, given) => {
      if (given !== undefined) return given;
      if (terminal === undefined) return false;
      const answer = await text({ question: `${question} (y/n)`, suggestion: 'y', option: '' });
      return /^y/iu.test(answer);
    },
    canAsk,
    close: () => terminal?.close(),
  };
}

interface Terminal {
  readonly ask: (question: Question) => Promise<string>;
  readonly close: () => void;
}

function openTerminal(onStop: () => void): Terminal {
  let isMuted = false;
  const output = new Writable({
    write: (chunk: Buffer, _encoding, done) => {
      if (!isMuted) process.stdout.write(chunk);
      done();
    },
  });
  const lines: Interface = createInterface({ input: process.stdin, output, terminal: true });
  const over = new AbortController();
  lines.once('close', () => {
    over.abort();
    onStop();
  });
  return {
    ask: async ({ question, suggestion, secret = false }) => {
      const hint = suggestion ? ` [${suggestion}]` : '';
      try {
        const answer = lines.question(`${styleText('bold', question)}${hint}: `, over);
        // Muted only now, since the prompt must be shown.
        isMuted = secret;
        return await answer;
      } catch (cause) {
        throw new SetUpError('Stopped.', { cause });
      } finally {
        isMuted = false;
        if (secret) process.stdout.write('\n');
      }
    },
    close: () => {
      lines.removeAllListeners('close');
      lines.close();
    },
  };
}
