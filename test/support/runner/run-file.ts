import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { startProgram } from '../../../helpers/child-process.ts';
import { allProcesses, mentionsDirectory, remainingAfterWait, readProcess } from '../processes.ts';

interface RunFileOptions {
  readonly root: string;
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Directory for V8's raw coverage. */
  readonly coverage?: string;
}

/**
 * Runs a file in its own process and temporary directory. Anything it leaves there is a failure.
 */
export async function runFile(file: string, options: RunFileOptions): Promise<FileResult> {
  // The name is short because Unix socket paths below it must stay under 108 bytes.
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
  const env = environment({
    TMPDIR: directory,
    NODE_V8_COVERAGE: coverage,
    // Halves the time of imports. In exchange, V8 merges a few covered blocks into enclosing ones.
    NODE_COMPILE_CACHE: join(root, '.tools', 'compiled'),
  });
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

/** Kills processes that the file left running. Returns what it left, as sentences. */
async function tidyUp(directory: string): Promise<string[]> {
  const problems: string[] = [];
  for (const { pid, command } of await processesOf(directory)) {
    problems.push(`it left a process running: ${command}`);
    kill(pid);
  }
  const files = readdirSync(directory).filter((name) => !NOT_OURS.includes(name));
  if (files.length > 0) problems.push(`it left in its temporary directory: ${files.join(', ')}`);
  return problems;
}

function remove(directory: string): void {
  try {
    rmSync(directory, { recursive: true, force: true });
  } catch {
    // If a killed file left a file system mounted, its directory cannot be removed.
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has already ended.
  }
}

/** The environment with changes applied; `undefined` removes a variable. */
function environment(changes: Record<string, string | undefined>): Record<string, string> {
  const all = Object.entries({ ...process.env, ...changes });
  return Object.fromEntries(
    all.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}

/** Tools that use Node's compile cache create this directory. */
const NOT_OURS = ['node-compile-cache'];

interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

function processesOf(directory: string): Promise<readonly LeftProcess[]> {
  return remainingAfterWait(() =>
    allProcesses()
      .filter(
        ({ pid, isOver }) => pid !== process.pid && !isOver && mentionsDirectory(pid, directory),
      )
      .map(({ pid }) => ({
        pid,
        command: readProcess(pid, 'cmdline').replaceAll('\0', ' ').trim(),
      }))
      .filter(({ command }) => command !== ''),
  );
}

export interface FileResult {
  readonly file: string;
  readonly passed: number;
  /** Failed or skipped tests; at least 1 if there is a problem. */
  readonly failed: number;
  /** Problems beyond failed tests, one sentence each. */
  readonly problems: readonly string[];
  readonly output: string;
  readonly durationMs: number;
}

interface Totals {
  readonly total: number;
  readonly passed: number;
  readonly skipped: number;
}

/** Undefined if the process ended before uvu printed the totals. */
function readTotals(output: string): Totals | undefined {
  const plain = stripVTControlCharacters(output);
  const pattern = /^ {2}Total: {5}(\d+)\n {2}Passed: {4}(\d+)\n {2}Skipped: {3}(\d+)$/gm;
  const last = [...plain.matchAll(pattern)].at(-1);
  if (last === undefined) return undefined;
  const [total = 0, passed = 0, skipped = 0] = last.slice(1).map(Number);
  return { total, passed, skipped };
}

/** uvu reports success for files without tests, with skipped tests, or with a failing `before`. */
function judgeTotals(totals: Totals | undefined, exitCode: number | undefined): string[] {
  const problems: string[] = [];
  if (totals === undefined) {
    problems.push('it ended without the totals of its tests');
  } else {
    if (totals.total === 0) problems.push('it has no test');
    if (totals.skipped > 0)
      problems.push(`${totals.skipped} tests were skipped (\`.only\` or \`.skip\`)`);
    if (totals.passed < totals.total && exitCode === 0) {
      problems.push('tests did not run: a hook failed');
    }
  }
  const failures = totals === undefined ? 0 : totals.total - totals.passed;
  if (exitCode !== 0 && failures === 0) {
    problems.push(`it ended with exit code ${exitCode ?? 'none'}, though no test failed`);
  }
  return problems;
}

/** Tests that failed or did not run; at least 1 if there is a problem. */
function countFailures(totals: Totals | undefined, problems: readonly string[]): number {
  const failures = totals === undefined ? 0 : totals.total - totals.passed + totals.skipped;
  return problems.length > 0 ? Math.max(1, failures) : failures;
}

export function describeFile(result: FileResult, width: number): string {
  const { file, passed, failed, problems, output, durationMs } = result;
  const seconds = `${(durationMs / 1000).toFixed(1)} s`;
  const line = `${failed === 0 ? 'ok  ' : 'FAIL'}  ${file.padEnd(width)}  ${String(passed).padStart(3)} passed  ${seconds.padStart(7)}`;
  if (failed === 0) return line;
  return [
    `\n${line}`,
    output.trimEnd(),
    ...problems.map((problem) => `      ${problem}`),
    `FAIL  ${file}: ${failed} failed\n`,
  ].join('\n');
}
