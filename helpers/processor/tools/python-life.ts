import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import Joi from 'joi';
import { programEnvironment, startProgram, type Ended, type Program } from '../../child-process.ts';
import { PYTHON, PYTHON_ARGS } from './python.ts';

/** It lives as long as the processor does. */
const NO_LIMIT_MS = 0;

/** Characters of what it says at its death that are kept: the end of a traceback. */
const LAST_WORDS = 2000;

/** How a script ended. */
export type ScriptEnd = Pick<Ended, 'exitCode' | 'signal' | 'stdout' | 'stderr'>;

/** One life of warm_python.py, from its start to its end. */
export interface PythonLife {
  /** Runs a script; undefined when the life ended before it: the script was killed, nobody knows how far it came. */
  run(
    id: number,
    script: Program & { readonly stdoutFile: string | undefined },
  ): Promise<ScriptEnd | undefined>;
  /** Kills a script, if it still runs. */
  kill(id: number): void;
  /** Ends it at once, scripts and all. */
  readonly end: () => void;
  /** Has it end by itself, or by force when it has not within that time. */
  close(withinMs: number): Promise<void>;
  readonly ended: Promise<ScriptEnd>;
}

interface Answer {
  readonly id: number;
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

const answerSchema = Joi.object<Answer, true>({
  id: Joi.number().required(),
  exit_code: Joi.number().allow(null).required(),
  signal: Joi.string().allow(null).required(),
  stdout: Joi.string().allow('').required(),
  stderr: Joi.string().allow('').required(),
});

/** Starts `warm_python.py`; the modules are those that it loads beforehand. */
export function beginPythonLife(file: string, modules: readonly string[]): PythonLife {
  const program = startProgram(
    {
      file: PYTHON,
      args: [...PYTHON_ARGS, file, ...modules],
      cwd: '/',
      env: programEnvironment(),
    },
    { timeoutMs: NO_LIMIT_MS, keepOutput: false },
  );
  // `ended` says why there are none.
  for (const stream of [program.stdout, program.stderr]) stream.on('error', () => {});
  const waiting = new Map<number, (end?: ScriptEnd) => void>();
  let lastWords = '';
  let isOver = false;
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-LAST_WORDS);
  });
  createInterface({ input: program.stdout }).on('line', (line) => {
    const answer = Joi.attempt(JSON.parse(line), answerSchema, { convert: false });
    waiting.get(answer.id)?.(scriptEnd(answer));
    waiting.delete(answer.id);
  });
  const ended = program.ended.then(({ exitCode, signal }) => {
    isOver = true;
    for (const resolve of waiting.values()) resolve();
    waiting.clear();
    return { exitCode, signal, stdout: '', stderr: lastWords };
  });
  const tell = (order: object): void => void program.stdin.write(`${JSON.stringify(order)}\n`);
  const end = (): void => program.kill('SIGKILL');

  return {
    run: (id, { file: script, args, cwd, env, stdoutFile = null }) =>
      new Promise((resolve) => {
        if (isOver) {
          resolve(undefined);
          return;
        }
        waiting.set(id, resolve);
        tell({ id, argv: [script, ...args], cwd, env, stdout_file: stdoutFile });
      }),
    kill: (id) => tell({ id, kill: true }),
    end,
    close: async (withinMs) => {
      program.stdin.end();
      const gone = new AbortController();
      void wait(withinMs, undefined, { signal: gone.signal }).then(end, () => {});
      await ended;
      gone.abort();
    },
    ended,
  };
}

function scriptEnd({ exit_code: exitCode, signal, stdout, stderr }: Answer): ScriptEnd {
  return {
    exitCode: exitCode ?? undefined,
    signal: signal ?? undefined,
    stdout: withoutLastNewline(stdout),
    stderr: withoutLastNewline(stderr),
  };
}

function withoutLastNewline(text: string): string {
  return text.replace(/\n$/, '');
}
