import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Durations } from './durations.ts';

/** The fault tests take as long as all others together: a command of their own names them. */
const FAULTS = 'test/fault/';

/**
 * Test files below `test/`, relative to the checkout: those whose path holds one of `patterns`, or, when none is given, all
 * but the fault tests.
 */
export function findTestFiles(root: string, patterns: readonly string[]): string[] {
  const isChosen = (file: string): boolean =>
    patterns.length === 0
      ? !file.startsWith(FAULTS)
      : patterns.some((pattern) => file.includes(pattern));
  return globSync('test/**/*.test.ts', { cwd: root }).filter(isChosen).toSorted();
}

/**
 * Slow files first, so that none of them is still running when everything else is done. A file that has not been run
 * here yet comes before all others, the longest text first.
 */
export function slowestFirst(
  files: readonly string[],
  { root, durations }: { root: string; durations: Durations },
): string[] {
  const weight = (file: string): number => durations[file] ?? 1e9 + statSync(join(root, file)).size;
  return files.toSorted((a, b) => weight(b) - weight(a));
}
