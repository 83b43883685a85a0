import { stripVTControlCharacters } from 'node:util';

/** What came of one test file. */
export interface FileResult {
  readonly file: string;
  readonly passed: number;
  /** Tests that failed or were skipped; at least 1 when there is a problem. */
  readonly failed: number;
  /** What is wrong beyond a failed test, a sentence each. */
  readonly problems: readonly string[];
  readonly output: string;
  readonly durationMs: number;
}

/** The totals that uvu prints at the end of a file. */
export interface Totals {
  readonly total: number;
  readonly passed: number;
  readonly skipped: number;
}

/** Undefined where there are none: the process ended before its tests did, or no test was ever started. */
export function readTotals(output: string): Totals | undefined {
  const plain = stripVTControlCharacters(output);
  const pattern = /^ {2}Total: {5}(\d+)\n {2}Passed: {4}(\d+)\n {2}Skipped: {3}(\d+)$/gm;
  const last = [...plain.matchAll(pattern)].at(-1);
  if (last === undefined) return undefined;
  const [total = 0, passed = 0, skipped = 0] = last.slice(1).map(Number);
  return { total, passed, skipped };
}

/**
 * What is wrong with a file, by its totals and its exit code. uvu itself counts a file without tests, one with skipped
 * tests and one whose `before` hook threw as a success.
 */
export function judgeTotals(totals: Totals | undefined, exitCode: number | undefined): string[] {
  const problems: string[] = [];
  if (totals === undefined) {
    problems.push('it ended without the totals of its tests (is `.run()` missing?)');
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

/** Tests that failed or did not run; a problem without such a test counts as one. */
export function countFailures(totals: Totals | undefined, problems: readonly string[]): number {
  const failures = totals === undefined ? 0 : totals.total - totals.passed + totals.skipped;
  return problems.length > 0 ? Math.max(1, failures) : failures;
}

/** A short line for a file that is fine; for one that is not, all it printed and what is wrong with it. */
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
