import { runProgram, type Ended } from '../../helpers/child-process.ts';

const DEFAULT_MS = 180_000;

export interface RunSettings {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

export class ProgramError extends Error {}

/** Runs a program in this process's environment. Returns its end, successful or not. */
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

/** Returns stdout, or throws a `ProgramError` with the output. */
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

export async function whereIs(name: string): Promise<string | undefined> {
  const { exitCode, stdout } = await tryProgram(['which', name]);
  return exitCode === 0 ? stdout.trim() : undefined;
}

function inheritedEnvironment(): Record<string, string> {
  // Includes administrators' programs, which an ordinary user's PATH lacks.
  const PATH = `${process.env['PATH'] ?? ''}:/usr/local/sbin:/usr/sbin:/sbin`;
  const all = Object.entries({ ...process.env, PATH });
  return Object.fromEntries(
    all.filter((entry): entry is [string, string] => entry[1] !== undefined),
  );
}
