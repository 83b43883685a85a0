import { outputOf } from './programs.ts';

/** Sets the open-file limit (`ulimit -n`) of a running process. */
export async function limitDescriptors(pid: number, limit: number): Promise<void> {
  await outputOf('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
}
