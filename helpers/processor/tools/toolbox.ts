import type Joi from 'joi';
import { programEnvironment, runProgram, type Ended } from '../../child-process.ts';

export interface PythonJob<Result> {
  readonly job: string;
  readonly options: object;
  readonly schema: Joi.ObjectSchema<Result>;
}

/** Runs Python jobs concurrently. Processes are reused. */
export interface PythonJobs {
  /**
   * Retries once if the process dies. Throws Failure `unreadable_page`, `page_too_large` or
   * `insufficient_storage`, the signal's reason, Failure `shutting_down` after `close`, and
   * otherwise JobFailed.
   */
  run<Result>(job: PythonJob<Result>, context: JobContext): Promise<Result>;
  close(): Promise<void>;
}

export interface Toolbox {
  readonly searchPath: string;
  /** Runs worker.py. */
  readonly python: PythonJobs;
  /** Runs recognizer.py. */
  readonly recognizers: PythonJobs;
}

export interface JobContext {
  readonly toolbox: Toolbox;
  /** Used as working directory and TMPDIR. */
  readonly directory: string;
  readonly timeoutMs: number;
  /** Address space of a program. */
  readonly memoryBytes: number;
  readonly signal: AbortSignal;
}

export interface ToolRun {
  readonly file: string;
  readonly args: readonly string[];
  readonly stdoutFile?: string;
}

/** Runs a program with one OpenMP thread. Throws the signal's reason when aborted. */
export async function runTool(
  { file, args, stdoutFile }: ToolRun,
  { toolbox, directory, timeoutMs, memoryBytes, signal }: JobContext,
): Promise<Ended> {
  const env = programEnvironment({
    PATH: toolbox.searchPath,
    OMP_THREAD_LIMIT: '1',
    TMPDIR: directory,
  });
  const ended = await runProgram(
    { file, args, cwd: directory, env },
    { timeoutMs, memoryBytes, signal, ...(stdoutFile !== undefined && { stdoutFile }) },
  );
  signal.throwIfAborted();
  return ended;
}

/** A clause that follows the program's name: `ended with exit code 1: cannot open file`. */
export function describeEnd(ended: Ended): string {
  if (ended.notFound) return 'is not installed';
  if (ended.timedOut) return `was ended after ${Math.round(ended.durationMs / 1000)} s`;
  return describeExit(ended);
}

/** Like `describeEnd`, for a program that was found and did not time out. */
export function describeExit(ended: Pick<Ended, 'exitCode' | 'signal' | 'stderr'>): string {
  if (ended.signal !== undefined) return `was killed by ${ended.signal}`;
  const lastLine = ended.stderr.trim().split('\n').at(-1) ?? '';
  const detail = lastLine.slice(0, 200);
  return `ended with exit code ${ended.exitCode ?? '?'}${detail === '' ? '' : `: ${detail}`}`;
}
