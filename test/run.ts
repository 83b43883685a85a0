/**
 * Runs `.test.ts` files as processes and measures their coverage of the product. `npm test --
 * scanner ipc` selects by words in paths, `test:fault` runs the tests of `test/fault`,
 * `test:fast` the tests without real OCR or a whole appliance.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import pLimit from 'p-limit';
import { measureCoverage, prepareCoverage } from './support/runner/coverage.ts';
import {
  findTestFiles,
  readDurations,
  slowestFirst,
  writeDurations,
} from './support/runner/files.ts';
import { describeFile, runFile, type FileResult } from './support/runner/run-file.ts';
import { parseOptions, UsageError, type Options } from './support/runner/options.ts';
import { USAGE } from './support/runner/usage.mjs';

const ROOT = join(import.meta.dirname, '..');
const DURATIONS = join(ROOT, '.tools', 'test-durations.json');
const COVERAGE = join(ROOT, 'coverage');

/** Time limit per file. The slowest took 3 minutes on busy cores, or 6 on a Raspberry Pi. */
const FILE_DEADLINE_MS = 600_000;

interface Count {
  passed: number;
  failed: number;
}

process.exitCode = await main();

async function main(): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => stop.abort());
  }
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options.help) {
      console.log(USAGE);
      return 0;
    }
    return summarise(await runAll(options, stop.signal));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    console.log(error.message);
    return summarise({ passed: 0, failed: 1 });
  }
}

async function runAll(options: Options, signal: AbortSignal): Promise<Count> {
  const durations = readDurations(DURATIONS);
  const files = slowestFirst(findTestFiles(ROOT, options), { root: ROOT, durations });
  if (files.length === 0)
    throw new UsageError(`No test file matches ${options.patterns.join(' ')}.`);
  const full = options.patterns.length === 0 && !options.fast;
  const coverage = full ? prepareCoverage(COVERAGE) : undefined;
  const results = await runFiles(files, { options, coverage, signal });
  mkdirSync(join(ROOT, '.tools'), { recursive: true });
  writeDurations(DURATIONS, durations, results);
  const count = {
    passed: sum(results.map((result) => result.passed)),
    failed: sum(results.map((result) => result.failed)),
  };
  if (full && count.failed === 0 && !(await coverageReached(signal))) count.failed += 1;
  return count;
}

async function coverageReached(signal: AbortSignal): Promise<boolean> {
  const report = await measureCoverage(ROOT, COVERAGE, signal);
  console.log(`\n${report.output.trim()}`);
  return report.reached;
}

interface Run {
  readonly options: Options;
  readonly coverage: string | undefined;
  readonly signal: AbortSignal;
}

async function runFiles(files: readonly string[], run: Run): Promise<FileResult[]> {
  const { options, coverage, signal } = run;
  const limit = pLimit(options.jobs);
  const widest = Math.max(...files.map((file) => file.length));
  return Promise.all(
    files.map((file) =>
      limit(async () => {
        const result = await runFile(file, {
          root: ROOT,
          deadlineMs: FILE_DEADLINE_MS,
          signal,
          ...(coverage !== undefined && { coverage }),
        });
        console.log(describeFile(result, widest));
        return result;
      }),
    ),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

function summarise({ passed, failed }: Count): number {
  console.log(`\n${passed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}
