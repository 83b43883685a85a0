/** Types, lint, format, dead code. Runs all checks, even after a failure. */
import { join } from 'node:path';
import pLimit from 'p-limit';
import { run } from './support/programs.ts';

const ROOT = join(import.meta.dirname, '..');
const BIN = join(ROOT, 'node_modules', '.bin');

const CHECK_DEADLINE_MS = 180_000;

/** Number of checks that run at once. Each already uses every core. */
const AT_A_TIME = 2;

interface Check {
  readonly title: string;
  readonly program: string;
  readonly args: readonly string[];
}

const CODE = ['service', 'helpers', 'deploy', 'simulators', 'test'];

const CHECKS: readonly Check[] = [
  { title: 'types', program: 'tsc', args: ['-p', '.'] },
  { title: 'types of the page', program: 'tsc', args: ['-p', 'service/page'] },
  { title: 'types of its tests', program: 'tsc', args: ['-p', 'test/browser'] },
  { title: 'types of the bootstrap', program: 'tsc', args: ['-p', 'deploy/bootstrap'] },
  { title: 'lint', program: 'oxlint', args: ['--type-aware', '--deny-warnings', ...CODE] },
  { title: 'format', program: 'prettier', args: ['--check', '--log-level=warn', '.'] },
  { title: 'dead code', program: 'knip', args: [] },
];

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => stop.abort());
}
const limit = pLimit(AT_A_TIME);
const results = await Promise.all(CHECKS.map((check) => limit(() => passes(check, stop.signal))));
const failed = results.filter((passed) => !passed).length;
console.log(`\n${results.length - failed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;

async function passes(check: Check, signal: AbortSignal): Promise<boolean> {
  const settings = { cwd: ROOT, timeoutMs: CHECK_DEADLINE_MS, signal };
  const program = [join(BIN, check.program), ...check.args];
  const ended = await run(process.execPath, program, settings);
  const passed = ended.exitCode === 0;
  const seconds = `${(ended.durationMs / 1000).toFixed(1)} s`;
  console.log(`${passed ? 'ok  ' : 'FAIL'}  ${check.title.padEnd(24)}${seconds.padStart(7)}`);
  if (!passed) console.log(`${ended.stdout}${ended.stderr}`.trimEnd());
  return passed;
}
