import path from 'node:path';
import { createInterface } from 'node:readline';
import Joi from 'joi';
import { programEnvironment, startProgram, type Ended } from '../../child-process.ts';
import { readJson } from '../../read-json.ts';

/** Debian's Python with Debian's Pillow, pikepdf and OCRmyPDF, whatever else is in PATH. */
const PYTHON = '/usr/bin/python3';

export const WORKER_SCRIPT = path.join(import.meta.dirname, '../python/worker.py');
export const RECOGNIZER_SCRIPT = path.join(import.meta.dirname, '../python/recognizer.py');

/** Workers run as long as the processor. Their jobs have time limits. */
const NO_LIMIT_MS = 0;

/** Kept from the end of standard error: a traceback ends with its message. */
const STDERR_TAIL_CHARACTERS = 2000;

export type Answer =
  | { readonly result: object }
  | {
      readonly error: 'unreadable' | 'no_space' | 'no_memory' | 'failed';
      readonly message: string;
    };

const answerSchema = Joi.object<Answer>({
  result: Joi.object(),
  error: Joi.valid('unreadable', 'no_space', 'no_memory', 'failed'),
  message: Joi.string().allow(''),
}).xor('result', 'error');

export interface PythonWorker {
  /** One job at a time. Resolves with its answer, or with how the process ended. */
  run(job: object): Promise<Answer | Ended>;
  /** Kills the worker and its descendants. Resolves when it has exited. */
  kill(): Promise<void>;
}

/** The worker dies with this process. Tests pass their own `script`. */
export function startPythonWorker(searchPath: string, script: string): PythonWorker {
  const program = startProgram(
    {
      file: PYTHON,
      // -I: isolated from the user's settings and packages. -B: writes no compiled files.
      args: ['-I', '-B', script],
      cwd: '/',
      // Waiting OpenMP threads of Tesseract spin: a page takes five times as long on four cores as
      // on one. So each process has one thread, and pages run in parallel.
      env: programEnvironment({ PATH: searchPath, OMP_THREAD_LIMIT: '1' }),
    },
    { timeoutMs: NO_LIMIT_MS, keepOutput: false },
  );
  // Ignores errors of the streams, since `ended` reports their cause.
  for (const stream of [program.stdout, program.stderr]) stream.on('error', () => {});
  let stderrTail = '';
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-STDERR_TAIL_CHARACTERS);
  });
  const ended = program.ended.then((end) => ({ ...end, stderr: stderrTail }));
  let onAnswer: ((answer: Answer) => void) | undefined;
  createInterface({ input: program.stdout }).on('line', (line) => {
    const answer = readJson(line, answerSchema);
    // Kills a process whose answer is invalid.
    if (answer) onAnswer?.(answer);
    else program.kill('SIGKILL');
  });
  return {
    run: (job) => {
      const answered = new Promise<Answer>((resolve) => (onAnswer = resolve));
      program.stdin.write(`${JSON.stringify(job)}\n`);
      return Promise.race([answered, ended]);
    },
    kill: async () => {
      program.kill('SIGKILL');
      await ended;
    },
  };
}
