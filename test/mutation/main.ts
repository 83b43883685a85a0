/**
 * Judges the tests: changes the product at places chosen by a seed, one at a time, and counts the changes that tests
 * notice. By hand, not in CI, with the Node of the project: `main.ts 30 found.json service/archive helpers/ipc` tries 30 changes per
 * folder and writes what became of them; `--again found.json again.json service/archive …` tries the same ones on changed tests.
 * Asked for each change: the tests of the mirrored folder and of `test/service/scan`, as far as they import the file,
 * nearest first, up to the first that fails.
 */
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { dirname, join, relative, resolve } from 'node:path';
import pLimit from 'p-limit';
import { runProgram } from '../../helpers/child-process.ts';
import { choose, findMutants, type Mutant } from './sites.ts';

const ROOT = resolve(import.meta.dirname, '..', '..');
const SEED = 25;
/** Per change: what takes longer hangs, or the machine is too busy to tell. */
const DEADLINE_MS = 180_000;
/** Tests that kill processes or try random sequences for seconds: too dear to ask for each change. */
const DEAR = /killed-|-sequences/;

type Outcome = 'killed' | 'timed out' | 'survived' | 'not asked';

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
  const outcomes = await Promise.all(
    mutants.map((mutant) => limit(async () => ({ ...mutant, outcome: await ask(mutant) }))),
  );
  writeFileSync(output, JSON.stringify(outcomes, undefined, 1));
  for (const folder of folders) {
    const own = outcomes.filter(({ file }) => file.startsWith(`${folder}/`));
    const killed = own.filter(({ outcome }) => outcome === 'killed').length;
    console.log(`${folder}: ${killed} of ${own.length} killed`);
  }
}

async function ask(mutant: Mutant): Promise<Outcome> {
  const files = testsOf(mutant.file);
  const text = readFileSync(join(ROOT, mutant.file), 'utf8');
  const changed = text.slice(0, mutant.start) + mutant.replacement + text.slice(mutant.end);
  const outcome = files.length === 0 ? 'not asked' : await runTests(files, mutant.file, changed);
  if (outcome !== 'killed') console.log(`${outcome}: ${mutant.file}:${mutant.line} ${mutant.key}`);
  return outcome;
}

async function runTests(files: readonly string[], path: string, text: string): Promise<Outcome> {
  const directory = mkdtempSync(join(tmpdir(), 'sst-'));
  const mutantFile = join(directory, 'mutant.json');
  writeFileSync(mutantFile, JSON.stringify({ path, text }));
  mkdirSync(join(directory, 't'));
  const loader = join(import.meta.dirname, 'with-mutant.ts');
  try {
    const ended = await runProgram(
      {
        file: process.execPath,
        args: ['--disable-warning=ExperimentalWarning', loader, ...files],
        cwd: ROOT,
        env: {
          ...(process.env as Record<string, string>),
          MUTANT: mutantFile,
          NODE_OPTIONS: `--import=${loader}`,
          TMPDIR: join(directory, 't'),
        },
      },
      { timeoutMs: DEADLINE_MS },
    );
    if (ended.timedOut) return 'timed out';
    return ended.exitCode === 0 ? 'survived' : 'killed';
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** The test files that import `file`, the nearest first. */
function testsOf(file: string): string[] {
  const [part = '', folder = ''] = file.split('/');
  const mirrored = folder.endsWith('.ts')
    ? `test/${part}/*.test.ts`
    : `test/${part}/${folder}/**/*.test.ts`;
  const also = part === 'service' ? ['test/service/scan/**/*.test.ts'] : [];
  const tests = new Set([mirrored, ...also].flatMap((glob) => globSync(glob, { cwd: ROOT })));
  return [...tests]
    .filter((test) => !DEAR.test(test))
    .map((test) => ({ test, distance: distance(test, file) }))
    .filter((found) => found.distance !== undefined)
    .toSorted((a, b) => (a.distance ?? 0) - (b.distance ?? 0) || a.test.localeCompare(b.test))
    .map(({ test }) => test);
}

/** How many imports lie between a test and a file. */
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
