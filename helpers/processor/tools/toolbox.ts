import { programEnvironment, runProgram, type Ended, type Program } from '../../child-process.ts';
import { PYTHON, PYTHON_ARGS } from './python.ts';
import type { ScriptOptions, WarmPython } from './warm-python.ts';

/** What every native program of a request is run with. */
export interface Toolbox {
  /** PATH in which the programs are found. */
  readonly searchPath: string;
  /** Runs Python scripts quicker than a new Python for each would. */
  readonly warmPython?: WarmPython;
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
  const ended = await runProgram(programOf(toolbox, run), optionsOf(run));
  run.signal.throwIfAborted();
  return ended;
}

/**
 * Runs a Python script, named by its path, as `runTool` does a program: in the warm Python, and in a new one where that is
 * not there or died of something else. Ours can be run twice: what they write, they write anew.
 */
export async function runScript(toolbox: Toolbox, run: ToolRun): Promise<Ended> {
  const ended = await toolbox.warmPython?.run(programOf(toolbox, run), optionsOf(run));
  run.signal.throwIfAborted();
  const { file, args } = run;
  return ended ?? runTool(toolbox, { ...run, file: PYTHON, args: [...PYTHON_ARGS, file, ...args] });
}

function programOf({ searchPath }: Toolbox, { file, args, directory }: ToolRun): Program {
  const env = programEnvironment({
    PATH: searchPath,
    OMP_THREAD_LIMIT: '1',
    PYTHONDONTWRITEBYTECODE: '1',
    TMPDIR: directory,
  });
  return { file, args, cwd: directory, env };
}

function optionsOf({ timeoutMs, signal, stdoutFile }: ToolRun): ScriptOptions {
  return { timeoutMs, signal, ...(stdoutFile !== undefined && { stdoutFile }) };
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
