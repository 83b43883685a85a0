import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import path from 'node:path';
import { programEnvironment, runProgram, type Ended } from '../../helpers/child-process.ts';
import { within } from './within.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');

const RUN_MS = 120_000;

/** Passes the test runner's compile cache on to child processes. */
const { NODE_COMPILE_CACHE } = process.env;
export const COMPILE_CACHE = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };

interface RunSettings {
  readonly env?: Record<string, string>;
  readonly cwd?: string;
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
}

/** Runs a program to its end with a minimal environment plus `env`. */
export function run(
  file: string,
  args: readonly string[],
  { env = {}, cwd = '/', timeoutMs = RUN_MS, ...more }: RunSettings = {},
): Promise<Ended> {
  return runProgram({ file, args, cwd, env: programEnvironment(env) }, { timeoutMs, ...more });
}

export function runScript(
  script: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
): Promise<Ended> {
  return run(process.execPath, [path.join(ROOT, script), ...args], {
    env: { ...COMPILE_CACHE, ...env },
  });
}

/** Returns stdout. Throws the output if the program fails. */
export async function outputOf(...program: Parameters<typeof run>): Promise<string> {
  const { exitCode, stdout, stderr } = await run(...program);
  if (exitCode !== 0) throw new Error(`${program[0]} ended with ${exitCode}: ${stdout}${stderr}`);
  return stdout;
}

export interface WatchedProgram {
  readonly child: ChildProcessWithoutNullStreams;
  /** Waits until `isThere` returns true. Throws if the program ends first. */
  readonly until: (isThere: () => boolean, what: string) => Promise<void>;
  /** Waits for the text in the output. Resolves with stdout so far. */
  readonly printed: (text: string) => Promise<string>;
  readonly output: { readonly stdout: string; readonly stderr: string };
  /** Waits until the program and every process that shares its output have ended. */
  readonly ended: () => Promise<{ code: number | null; stdout: string; stderr: string }>;
}

/** Starts a program with exactly this environment. Each wait is limited to `withinMs`. */
export function watchProgram(
  [file, ...args]: readonly [string, ...string[]],
  { withinMs, ...settings }: { env: NodeJS.ProcessEnv; cwd?: string; withinMs: number },
): WatchedProgram {
  const child = spawn(file, args, settings);
  const output = { stdout: '', stderr: '' };
  const events = new EventEmitter();
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] += text;
      events.emit('more');
    });
  }
  let isOver = false;
  const closed = once(child, 'close');
  child.once('close', () => {
    isOver = true;
    events.emit('more');
  });
  const wait = async (isThere: () => boolean, what: string): Promise<void> => {
    while (!isThere()) {
      if (isOver) throw new Error(`ended before ${what}: ${output.stdout}${output.stderr}`);
      await once(events, 'more');
    }
  };
  const until: WatchedProgram['until'] = (isThere, what) =>
    within(withinMs, wait(isThere, what), what);
  return {
    child,
    output,
    until,
    printed: async (text) => {
      await until(() => Object.values(output).some((said) => said.includes(text)), `"${text}"`);
      return output.stdout;
    },
    ended: async () => {
      await within(withinMs, closed, 'the end');
      return { code: child.exitCode, ...output };
    },
  };
}
