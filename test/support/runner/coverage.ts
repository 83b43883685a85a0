import { globSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Ended } from '../../../helpers/child-process.ts';
import { run } from '../programs.ts';

/** The code whose coverage is measured, except files that contain only types. */
const CODE = ['service/**/*.ts', 'helpers/**/*.ts'];
const LEAST_LINES_PERCENT = 95;
const LEAST_BRANCHES_PERCENT = 90;

const REPORT_DEADLINE_MS = 180_000;

/** Empties `directory`. Returns a new directory in it for raw coverage. */
export function prepareCoverage(directory: string): string {
  rmSync(directory, { recursive: true, force: true });
  const raw = join(directory, 'raw');
  mkdirSync(raw, { recursive: true });
  return raw;
}

export async function measureCoverage(
  root: string,
  directory: string,
  signal: AbortSignal,
): Promise<{ reached: boolean; output: string }> {
  const node = (args: readonly string[]): Promise<Ended> =>
    run(process.execPath, args, { cwd: root, timeoutMs: REPORT_DEADLINE_MS, signal });
  const withoutCode = await node([
    '--disable-warning=ExperimentalWarning',
    join(import.meta.dirname, 'list-without-code.ts'),
    ...globSync(CODE, { cwd: root }),
  ]);
  if (withoutCode.exitCode !== 0) return { reached: false, output: withoutCode.stderr };
  const typesOnly: readonly string[] = JSON.parse(withoutCode.stdout);
  const ended = await node([
    join(root, 'node_modules', 'c8', 'bin', 'c8.js'),
    'report',
    `--temp-directory=${join(directory, 'raw')}`,
    `--reports-dir=${directory}`,
    '--reporter=text',
    '--reporter=lcovonly',
    '--all',
    '--src=service',
    '--src=helpers',
    ...CODE.map((pattern) => `--include=${pattern}`),
    // Replaces c8's default list, which excludes files that look like tests or configuration.
    ...['node_modules/**', ...typesOnly].map((pattern) => `--exclude=${pattern}`),
    '--check-coverage',
    `--lines=${LEAST_LINES_PERCENT}`,
    `--branches=${LEAST_BRANCHES_PERCENT}`,
    '--functions=0',
    '--statements=0',
  ]);
  return { reached: ended.exitCode === 0, output: ended.stdout + ended.stderr };
}
