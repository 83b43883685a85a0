import { spawnSync } from 'node:child_process';

/** An error that the user can fix. Printed without a stack trace. */
export class SetUpError extends Error {}

/** Limits glibc's DNS retries: without a name server, apt and npm would try for minutes. */
const RESOLVER = { RES_OPTIONS: 'timeout:2 attempts:2' };

/** Length of the output that is kept. Its end names the cause of an error. */
const KEPT_CHARACTERS = 20_000;
const MAX_OUTPUT_BYTES = 256 * 1024 * 1024;

/**
 * @param {string} file
 * @param {readonly string[]} args
 * @param {{ cwd?: string, env?: NodeJS.ProcessEnv }} options
 */
export function quietly(file, args, { cwd, env }) {
  const { status, signal, stdout, stderr, error } = spawnSync(file, args, {
    ...(cwd !== undefined && { cwd }),
    env: { ...process.env, ...RESOLVER, ...env },
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    maxBuffer: MAX_OUTPUT_BYTES,
  });
  const output = `${stdout ?? ''}${stderr ?? ''}${error ?? ''}`.slice(-KEPT_CHARACTERS).trim();
  return { ok: status === 0, ended: signal ?? `exit code ${status}`, output };
}
