import path from 'node:path';
import { createInterface } from 'node:readline';
import Joi from 'joi';
import { programEnvironment, startProgram, type Ended } from '../../child-process.ts';
import { readJson } from '../../read-json.ts';

/** Debian's Python: the one that Debian's Pillow, pikepdf and OCRmyPDF are installed for, whatever else is in the PATH. */
const PYTHON = '/usr/bin/python3';

/** The jobs that work on images and PDFs. */
export const WORKER_SCRIPT = path.join(import.meta.dirname, '../python/worker.py');
/** The recognition of pages. */
export const RECOGNIZER_SCRIPT = path.join(import.meta.dirname, '../python/recognizer.py');

/** A worker lives as long as the processor does; its jobs have time limits. */
const NO_LIMIT_MS = 0;

/** Characters of its standard error that are kept: the end of a traceback. */
const STDERR_TAIL_CHARACTERS = 2000;

/** What jobs.py answers. */
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

/** A Python process that has loaded its modules and does one job after the other: see jobs.py. */
export interface PythonWorker {
  /** Sends a job; resolves with its answer, or with how the process ended instead. One at a time. */
  run(job: object): Promise<Answer | Ended>;
  /** Kills it, with all that it has started; resolves when it is gone. */
  kill(): Promise<void>;
}

/** Starts a worker, which is killed with this process. `script` is one of the above, or what a test has in its place. */
export function startPythonWorker(searchPath: string, script: string): PythonWorker {
  const program = startProgram(
    {
      file: PYTHON,
      // Isolated from the user's settings and packages, and leaving no compiled files behind.
      args: ['-I', '-B', script],
      cwd: '/',
      // OpenMP threads of Tesseract spin while they wait: one page then takes five times as long with four cores as with one,
      // so there is one thread per process, and pages beside each other instead.
      env: programEnvironment({ PATH: searchPath, OMP_THREAD_LIMIT: '1' }),
    },
    { timeoutMs: NO_LIMIT_MS, keepOutput: false },
  );
  // `ended` reports why there are none.
  for (const stream of [program.stdout, program.stderr]) stream.on('error', () => {});
  let stderrTail = '';
  program.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderrTail = (stderrTail + text).slice(-STDERR_TAIL_CHARACTERS);
  });
  const ended = program.ended.then((end) => ({ ...end, stderr: stderrTail }));
  let onAnswer: ((answer: Answer) => void) | undefined;
  createInterface({ input: program.stdout }).on('line', (line) => {
    const answer = readJson(line, answerSchema);
    // What is no answer came from a process that cannot be trusted with another job.
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
