import type { Ended } from '../../../helpers/child-process.ts';
import { program, tryProgram, type RunSettings } from '../../debian/programs.ts';

export interface Commands {
  readonly docker: string;
  /** `docker compose`, or the plugin's program itself. */
  readonly compose: readonly [string, ...string[]];
}

export interface Docker {
  /** Returns stdout. Throws a `ProgramError` if it fails. */
  run(args: readonly string[], settings?: RunSettings): Promise<string>;
  try(args: readonly string[], settings?: RunSettings): Promise<Ended>;
}

export function createDocker(docker: string): Docker {
  return {
    run: async (args, settings) => program([docker, ...args], settings),
    try: async (args, settings) => tryProgram([docker, ...args], settings),
  };
}

const INFO_MS = 10_000;

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
