import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FileResult } from './run-file.ts';

/** Fault tests take as long as all other tests together, so they run only when named. */
const FAULTS = 'test/fault/';

/** Skipped by `npm run test:fast`: tests with whole appliances, real OCR or browsers. */
export const SLOW_PATHS = [
  FAULTS,
  'test/integration/',
  'test/deploy/',
  'test/browser/',
  'test/helpers/processor/codes/',
  'test/helpers/processor/page/',
  'test/helpers/processor/document/',
  'test/helpers/processor/http/',
  'test/helpers/processor/processor.',
  'test/helpers/scanner/airscan.',
  'test/helpers/scanner/main.',
  'test/helpers/scanner/scan-session.',
  'test/service/scanner/',
];

interface Choice {
  /** Selects files whose path contains one of these. Empty selects all but the fault tests. */
  readonly patterns: readonly string[];
  readonly fast: boolean;
}

export function findTestFiles(root: string, { patterns, fast }: Choice): string[] {
  const excluded = fast ? SLOW_PATHS : patterns.length === 0 ? [FAULTS] : [];
  const isChosen = (file: string): boolean =>
    !excluded.some((path) => file.startsWith(path)) &&
    (patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)));
  return globSync('test/**/*.test.ts', { cwd: root }).filter(isChosen).toSorted();
}

/**
 * Slow files first, so that none runs alone at the end. Files of unknown duration precede all
 * others: slow paths first, then the largest.
 */
export function slowestFirst(
  files: readonly string[],
  { root, durations }: { root: string; durations: Durations },
): string[] {
  const unknown = (file: string): number =>
    (SLOW_PATHS.some((slow) => file.startsWith(slow)) ? 2e9 : 1e9) +
    statSync(join(root, file)).size;
  const weight = (file: string): number => durations[file] ?? unknown(file);
  return files.toSorted((a, b) => weight(b) - weight(a));
}

/** Duration of each file in the last run, in milliseconds. */
type Durations = Readonly<Record<string, number>>;

/** Empty on a fresh checkout or if the file is damaged. */
export function readDurations(path: string): Durations {
  try {
    const parsed: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (typeof parsed !== 'object' || parsed === null) return {};
    return Object.fromEntries(
      Object.entries(parsed).filter((entry): entry is [string, number] =>
        Number.isFinite(entry[1]),
      ),
    );
  } catch {
    return {};
  }
}

export function writeDurations(
  path: string,
  before: Durations,
  results: readonly FileResult[],
): void {
  const now = Object.fromEntries(results.map(({ file, durationMs }) => [file, durationMs]));
  writeFileSync(path, `${JSON.stringify({ ...before, ...now }, undefined, 2)}\n`);
}
