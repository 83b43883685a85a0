import { runProgram, type Ended } from '../../helpers/child-process.ts';

/** Longest a program may take that is given no time of its own. */
const DEFAULT_MS = 180_000;

export interface RunSettings {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly cwd?: string;
  /** Added to the environment of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** A program of the machine that did not do what the tests need. */
export class ProgramError extends Error {}

/** Runs a program with this process's environment; answers how it ended, well or not. */
export async function tryProgram(
  [file, ...args]: readonly [string, ...string[]],
  settings: RunSettings = {},
): Promise<Ended> {
  const { timeoutMs = DEFAULT_MS, signal, cwd = '/', env = {} } = settings;
  return runProgram(
    { file, args, cwd, env: { ...inheritedEnvironment(), ...env } },
    { timeoutMs, ...(signal && { signal }) },
  );
}

/** Like `tryProgram`, for one that must succeed; answers its stdout. Throws a `ProgramError` with what it said. */
export async function program(
  command: readonly [string, ...string[]],
  settings: RunSettings = {},
): Promise<string> {
  const ended = await tryProgram(command, settings);
  if (ended.exitCode === 0) return ended.stdout;
  const how = ended.timedOut ? 'took too long' : `ended with ${ended.signal ?? ended.exitCode}`;
  throw new ProgramError(
    `${command.join(' ')} ${how}:\n${`${ended.stdout}\n${ended.stderr}`.trim()}`,
  );
}

/** Where a program is; undefined where the PATH has none of that name. */
export async function whereIs(name: string): Promise<string | undefined> {
  const { exitCode, stdout } = await tryProgram(['which', name]);
  return exitCode === 0 ? stdout.trim() : undefined;
}

function inheritedEnvironment(): Record<string, string> {
  // An administrator's programs are looked for too, whatever the PATH of the person who runs the tests.
  const PATH = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`;
  const all = Object.entries({ ...process.env, PATH });
  return Object.fromEntries(
    all.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
