import { programEnvironment, runProgram, type Ended } from '../child-process.ts';

/** What every native program of a request is run with. */
export interface Toolbox {
  /** PATH in which the programs are found. */
  readonly searchPath: string;
}

/** One run of a program for a request. */
export interface ToolRun {
  readonly file: string;
  readonly args: readonly string[];
  /** The request's private directory: working directory and place for temporary files. */
  readonly directory: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly stdoutFile?: string;
}

/**
 * Runs a program on behalf of a request. OpenMP threads of Tesseract spin while they wait: one page then takes five times
 * as long with four cores as with one, so there is one thread a program, and pages beside each other instead.
 * Throws the signal's reason when the request was given up.
 */
export async function runTool(toolbox: Toolbox, run: ToolRun): Promise<Ended> {
  const env = programEnvironment({
    PATH: toolbox.searchPath,
    OMP_THREAD_LIMIT: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    TMPDIR: run.directory,
  });
  const ended = await runProgram(
    { file: run.file, args: run.args, cwd: run.directory, env },
    {
      timeoutMs: run.timeoutMs,
      signal: run.signal,
      ...(run.stdoutFile !== undefined && { stdoutFile: run.stdoutFile }),
    },
  );
  run.signal.throwIfAborted();
  return ended;
}

/** How a program ended, in words that follow its name: `ended with exit code 1: cannot open file`. */
export function describeEnd(ended: Ended): string {
  if (ended.notFound) return 'is not installed';
  if (ended.timedOut) return `was ended after ${Math.round(ended.durationMs / 1000)} s`;
  if (ended.signal !== undefined) return `was killed by ${ended.signal}`;
  const lastLine = ended.stderr.trim().split('\n').at(-1) ?? '';
  const detail = lastLine.slice(0, 200);
  return `ended with exit code ${ended.exitCode ?? '?'}${detail === '' ? '' : `: ${detail}`}`;
}
