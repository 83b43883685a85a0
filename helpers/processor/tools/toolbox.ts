import { programEnvironment, runProgram, type Ended } from '../../child-process.ts';
import type { PythonJobs } from './python-jobs.ts';

/** What the work of a request is done with. */
export interface Toolbox {
  /** PATH in which the programs are found. */
  readonly searchPath: string;
  /** Jobs of worker.py. */
  readonly python: PythonJobs;
  /** Jobs of recognizer.py. */
  readonly recognizers: PythonJobs;
}

/** Where, how long and in how much memory a program may work. */
export interface JobContext {
  readonly toolbox: Toolbox;
  /** The request's private directory: working directory and place for temporary files. */
  readonly directory: string;
  readonly timeoutMs: number;
  /** Address space, in bytes. */
  readonly memoryBytes: number;
  readonly signal: AbortSignal;
}

/** A native program, and the file that its standard output is written to, if any. */
export interface ToolRun {
  readonly file: string;
  readonly args: readonly string[];
  readonly stdoutFile?: string;
}

/**
 * Runs a native program on behalf of a request, with one thread of OpenMP as python-worker.ts. Throws the signal's reason when
 * the request was given up.
 */
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

/** How a program ended, in words that follow its name: `ended with exit code 1: cannot open file`. */
export function describeEnd(ended: Ended): string {
  if (ended.notFound) return 'is not installed';
  if (ended.timedOut) return `was ended after ${Math.round(ended.durationMs / 1000)} s`;
  return describeExit(ended);
}

/** The same of one that had its time. */
export function describeExit(ended: Pick<Ended, 'exitCode' | 'signal' | 'stderr'>): string {
  if (ended.signal !== undefined) return `was killed by ${ended.signal}`;
  const lastLine = ended.stderr.trim().split('\n').at(-1) ?? '';
  const detail = lastLine.slice(0, 200);
  return `ended with exit code ${ended.exitCode ?? '?'}${detail === '' ? '' : `: ${detail}`}`;
}
