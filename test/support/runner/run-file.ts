import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startProgram } from '../../../helpers/child-process.ts';
import { filesOf, processesOf } from './leftovers.ts';
import { countFailures, judgeTotals, readTotals, type FileResult } from './result.ts';

export interface RunFileOptions {
  /** The checkout, which the test runs in. */
  readonly root: string;
  readonly deadlineMs: number;
  /** Ends the test when aborted. */
  readonly signal: AbortSignal;
  /** Directory for V8's raw coverage. */
  readonly coverage?: string;
}

/**
 * Runs one test file in a process of its own, with a temporary directory of its own: whatever is left of either when the
 * file has ended was left by this file, and is a failure.
 */
export async function runFile(file: string, options: RunFileOptions): Promise<FileResult> {
  // A short name: the paths of Unix sockets made below it must stay under 108 bytes.
  const directory = mkdtempSync(join(tmpdir(), 'sst-'));
  try {
    return await runIn(directory, file, options);
  } finally {
    remove(directory);
  }
}

async function runIn(
  directory: string,
  file: string,
  options: RunFileOptions,
): Promise<FileResult> {
  const { root, deadlineMs, signal, coverage } = options;
  const env = environment({ TMPDIR: directory, NODE_V8_COVERAGE: coverage });
  const program = { file: process.execPath, args: [join(root, file)], cwd: root, env };
  const running = startProgram(program, { timeoutMs: deadlineMs, signal });
  running.stdin.end();
  const ended = await running.ended;
  const output = ended.stdout + ended.stderr;
  const totals = readTotals(ended.stdout);
  const problems = [
    ...(ended.timedOut
      ? [`it was still running after ${deadlineMs / 1000} s: a test hangs or left a handle open`]
      : judgeTotals(totals, ended.exitCode)),
    ...(await tidyUp(directory)),
  ];
  return {
    file,
    passed: totals?.passed ?? 0,
    failed: countFailures(totals, problems),
    problems,
    output,
    durationMs: Math.round(ended.durationMs),
  };
}

/** Ends what the file left running, and says what it left. */
async function tidyUp(directory: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { pid, command } of await processesOf(directory)) {
    problems.push(`it left a process running: ${command}`);
    kill(pid);
  }
  const files = filesOf(directory);
  if (files.length > 0) problems.push(`it left in its temporary directory: ${files.join(', ')}`);
  return problems;
}

function remove(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // A file that was killed may have left a file system mounted: no reason to end the whole run. What it left was reported.
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone by itself.
  }
}

/** The environment of this process with changes; `undefined` takes a variable away. */
function environment(changes: Record<string, string | undefined>): Record<string, string> {
  const all = Object.entries({ ...process.env, ...changes });
  return Object.fromEntries(
    all.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
