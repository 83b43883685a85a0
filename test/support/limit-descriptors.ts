import { outputOf } from './programs.ts';

/** Lets a process that runs have file descriptors below this number only (`ulimit -n`), until it is set again. */
export async function limitDescriptors(pid: number, limit: number): Promise<void> {
  await outputOf('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
}
