import { globSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Durations } from './durations.ts';

/** Test files below `test/`, relative to the checkout; only those whose path holds one of `patterns`, if any is given. */
export function findTestFiles(root: string, patterns: readonly string[]): string[] {
  return globSync('test/**/*.test.ts', { cwd: root })
    .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
    .toSorted();
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
