/**
 * Judges the tests: mutates the product at seeded random places, one at a time, and counts detected
 * mutants. By hand: `main.ts 30 found.json service/archive helpers/ipc` tries 30 mutants per
 * folder; `--again found.json again.json service/archive …` repeats them after a change of tests.
 * Runs tests of the mirrored folder and of `test/service/scan` that import the file, nearest first,
 * until one fails.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import pLimit from 'p-limit';
import { runProgram } from '../../helpers/child-process.ts';
import { choose, findMutants, type Mutant } from './sites.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const SEED = 25;
/** Time limit of a mutant, as a multiple of the unchanged tests' time. Two mutants run at once. */
const TIMEOUT_FACTOR = 4;
/** The minimum time limit, for programs that start slowly on a busy machine. */
const LEAST_MS = 60_000;
/** Time limit of the unchanged tests, whose duration is not yet known. */
const UNCHANGED_MS = 3_600_000;
/** Tests that kill processes or try random sequences for seconds: too expensive per mutant. */
const EXPENSIVE = /killed-|-sequences/;

type Outcome = 'killed' | 'timed out' | 'survived' | 'not asked';

interface Question {
  readonly tests: readonly string[];
  readonly path: string;
  readonly text: string;
}

const again = process.argv[2] === '--again';
const [count = '', output = '', ...folders] = process.argv.slice(again ? 3 : 2);
if (again) {
  const found: { key: string }[] = JSON.parse(readFileSync(count, 'utf8'));
  const keys = new Set(found.map(({ key }) => key));
  const all = await Promise.all(folders.map(allMutants));
  await judge(all.flat().filter(({ key }) => keys.has(key)));
} else {
  const chosen = folders.map(async (folder) =>
    choose(await allMutants(folder), Number(count), SEED),
  );
  await judge((await Promise.all(chosen)).flat());
}

async function allMutants(folder: string): Promise<Mutant[]> {
  const files = globSync(`${folder}/**/*.ts`, { cwd: ROOT }).filter(
    (file) => !file.endsWith('.d.ts') && !file.endsWith('main.ts'),
  );
  const found = files
    .toSorted()
    .map((file) => findMutants(file, readFileSync(join(ROOT, file), 'utf8')));
  return (await Promise.all(found)).flat();
}

async function judge(mutants: readonly Mutant[]): Promise<void> {
  const limit = pLimit(availableParallelism());
  const timeoutMs = await timeLimitOf(mutants);
  const outcomes = await Promise.all(
    mutants.map((mutant) =>
      limit(async () => ({ ...mutant, outcome: await ask(mutant, timeoutMs) })),
    ),
  );
  writeFileSync(output, JSON.stringify(outcomes, undefined, 1));
  for (const folder of folders) {
    const own = outcomes.filter(({ file }) => file.startsWith(`${folder}/`));
    const killed = own.filter(({ outcome }) => outcome === 'killed').length;
    console.log(`${folder}: ${killed} of ${own.length} killed`);
  }
}

/**
 * Derives the limit in milliseconds from a run of all tests on the unchanged file, which must pass.
 */
async function timeLimitOf(mutants: readonly Mutant[]): Promise<number> {
  const [path = ''] = mutants.map(({ file }) => file);
  const tests = [...new Set(mutants.flatMap(({ file }) => testsOf(file)))];
  const text = readFileSync(join(ROOT, path), 'utf8');
  const begun = performance.now();
  if ((await runTests({ tests, path, text }, UNCHANGED_MS)) !== 'survived')
    throw new Error('The tests fail without a change.');
  const tookMs = performance.now() - begun;
  console.log(`Without a change: ${Math.round(tookMs / 1000)} s.`);
  return Math.max(LEAST_MS, Math.ceil(TIMEOUT_FACTOR * tookMs));
}

async function ask(mutant: Mutant, timeoutMs: number): Promise<Outcome> {
  const tests = testsOf(mutant.file);
  const text = readFileSync(join(ROOT, mutant.file), 'utf8');
  const changed = text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end);
  const question = { tests, path: mutant.file, text: changed };
  const outcome = tests.length === 0 ? 'not asked' : await runTests(question, timeoutMs);
  if (outcome !== 'killed') console.log(`${outcome}: ${mutant.file}:${mutant.line} ${mutant.key}`);
  return outcome;
}

async function runTests({ tests, path, text }: Question, timeoutMs: number): Promise<Outcome> {
  const directory = mkdtempSync(join(tmpdir(), 'sst-'));
  const mutantFile = join(directory, 'mutant.json');
  writeFileSync(mutantFile, JSON.stringify({ path, text }));
  mkdirSync(join(directory, 't'));
  const loader = join(import.meta.dirname, 'with-mutant.ts');
  try {
    const ended = await runProgram(
      {
        file: process.execPath,
        args: ['--disable-warning=ExperimentalWarning', loader, ...tests],
        cwd: ROOT,
        env: {
          ...(process.env as Record<string, string>),
          MUTANT: mutantFile,
          NODE_OPTIONS: `--import=${loader}`,
          TMPDIR: join(directory, 't'),
        },
      },
      { timeoutMs },
    );
    if (ended.timedOut) return 'timed out';
    return ended.exitCode === 0 ? 'survived' : 'killed';
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function testsOf(file: string): string[] {
  const [part = '', folder = ''] = file.split('/');
  const mirrored = folder.endsWith('.ts')
    ? `test/${part}/*.test.ts`
    : `test/${part}/${folder}/**/*.test.ts`;
  const also = part === 'service' ? ['test/service/scan/**/*.test.ts'] : [];
  const tests = new Set([mirrored, ...also].flatMap((glob) => globSync(glob, { cwd: ROOT })));
  return [...tests]
    .filter((test) => !EXPENSIVE.test(test))
    .map((test) => ({ test, distance: distance(test, file) }))
    .filter((found) => found.distance !== undefined)
    .toSorted((a, b) => (a.distance ?? 0) - (b.distance ?? 0) || a.test.localeCompare(b.test))
    .map(({ test }) => test);
}

function distance(from: string, to: string): number | undefined {
  const seen = new Set([from]);
  for (let [next, steps] = [[from], 0]; next.length > 0; steps += 1) {
    if (next.includes(to)) return steps;
    next = [...new Set(next.flatMap(importsOf))].filter((file) => !seen.has(file));
    next.forEach((file) => seen.add(file));
  }
  return undefined;
}

function importsOf(file: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  return [
    ...text.matchAll(
      /^(?!import type)(?:import|export|\}).*? from '(\.[^']+\.ts)'|^import '(\.[^']+\.ts)'/gm,
    ),
  ].map(([, from = '', bare = from]) => relative(ROOT, join(ROOT, dirname(file), from || bare)));
}
