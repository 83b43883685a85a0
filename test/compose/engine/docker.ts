import type { Ended } from '../../../helpers/child-process.ts';
import { program, tryProgram, type RunSettings } from '../../debian/programs.ts';

/** The command lines that reach the engine; they differ from machine to machine. */
export interface Commands {
  readonly docker: string;
  /** `docker compose`, or the program of that plugin on its own. */
  readonly compose: readonly [string, ...string[]];
}

export interface Docker {
  /** Answers stdout; throws a `ProgramError`. */
  run(args: readonly string[], settings?: RunSettings): Promise<string>;
  try(args: readonly string[], settings?: RunSettings): Promise<Ended>;
}

export function createDocker(docker: string): Docker {
  return {
    run: async (args, settings) => program([docker, ...args], settings),
    try: async (args, settings) => tryProgram([docker, ...args], settings),
  };
}

/** An engine that has something to say says it at once, or not at all. */
const INFO_MS = 10_000;

/** Whether an engine answers that command line in that environment. */
export async function engineAnswers(
  docker: string,
  env: Readonly<Record<string, string>> = {},
): Promise<boolean> {
  const ended = await tryProgram([docker, 'info', '--format', '{{.ServerVersion}}'], {
    timeoutMs: INFO_MS,
    env,
  });
  return ended.exitCode === 0 && ended.stdout.trim() !== '';
}
