/**
 * `npm run test:compose`, or `npm run test:compose -- kill network` for files of test/compose/cases
 * by words in their paths. Finds or starts an engine, builds the images, runs the cases with
 * virtual scanners and a DMS, and removes everything.
 */
import { globSync, mkdirSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';
import { describeFile, runFile } from '../support/runner/run-file.ts';
import { FACTS_VARIABLE } from './appliance.ts';
import { CHECKOUT } from './composition.ts';
import { provideBaseImages } from './engine/base-images.ts';
import { findCompose } from './engine/compose-plugin.ts';
import { createDocker } from './engine/docker.ts';
import { findEngine } from './engine/engine.ts';
import { ProgramError } from '../debian/programs.ts';
import { startComposition } from './start-composition.ts';

const FILE_DEADLINE_MS = 20 * 60_000;

/** Holds Compose and the stand-ins of the base images between runs. */
const DIRECTORY = path.join(CHECKOUT, '.tools', 'compose');

/** This case turns the engine into a swarm. */
const SWARM = 'swarm.compose.ts';

interface Count {
  passed: number;
  failed: number;
}

/** Clean-ups, run in reverse order. */
type Undo = { readonly what: string; readonly run: () => Promise<void> }[];

process.exitCode = await main();

async function main(): Promise<number> {
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.on(signal, () => stop.abort());
  }
  const undo: Undo = [];
  const count: Count = { passed: 0, failed: 0 };
  try {
    await runAll(count, undo, stop.signal);
  } catch (error) {
    count.failed += 1;
    const known = error instanceof ProgramError || stop.signal.aborted;
    const stack = error instanceof Error ? error.stack : undefined;
    print(`\nFAIL  ${known ? String(error) : (stack ?? String(error))}`);
  }
  for (const { what, run } of undo.toReversed()) {
    try {
      await run();
    } catch (error) {
      count.failed += 1;
      print(`FAIL  ${what}: ${String(error)}`);
    }
  }
  print(`\n${count.passed} passed, ${count.failed} failed`);
  return count.failed === 0 ? 0 : 1;
}

async function runAll(count: Count, undo: Undo, signal: AbortSignal): Promise<void> {
  const files = casesOf(process.argv.slice(2));
  mkdirSync(DIRECTORY, { recursive: true });
  const busy = loadavg()[0]?.toFixed(1);
  say(`machine: ${availableParallelism()} cores, of which ${busy} are busy`);
  const options = { directory: DIRECTORY, signal, say };
  const engine = await findEngine(options);
  undo.push({ what: 'stopping the engine', run: async () => engine.stop() });
  // Every program started from here on reaches this engine.
  Object.assign(process.env, engine.environment);
  const compose = await findCompose({ docker: engine.docker, ...options });
  const base = await provideBaseImages(createDocker(engine.docker), options);
  undo.push({ what: 'letting go of the base images', run: async () => base.release() });
  say(`engine: ${engine.description}; base images: ${base.description}`);
  const running = await startComposition(
    { docker: engine.docker, compose },
    { signal, say, undo: (what, run) => void undo.push({ what, run }) },
  );
  process.env[FACTS_VARIABLE] = running.factsFile;
  const width = Math.max(...files.map((file) => file.length));
  for (const file of files) {
    if (file.endsWith(SWARM) && running.neighbours) {
      // An engine that leaves a swarm no longer resolves the names of running containers.
      print(`not run  ${file}: the engine has containers of somebody else, which would suffer`);
      continue;
    }
    if (signal.aborted) throw new Error('interrupted');
    const result = await runFile(file, { root: CHECKOUT, deadlineMs: FILE_DEADLINE_MS, signal });
    print(describeFile(result, width));
    count.passed += result.passed;
    count.failed += result.failed;
    if (result.failed > 0) print(await running.logs());
  }
}

function casesOf(patterns: readonly string[]): string[] {
  const found = globSync('test/compose/cases/*.compose.ts', { cwd: CHECKOUT })
    .filter((file) => patterns.length === 0 || patterns.some((pattern) => file.includes(pattern)))
    .toSorted();
  if (found.length === 0) throw new ProgramError(`No case matches ${patterns.join(' ')}.`);
  return found;
}

function say(text: string): void {
  const seconds = (performance.now() / 1000).toFixed(1).padStart(6);
  print(`${seconds} s  ${text}`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
