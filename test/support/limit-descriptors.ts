import { outputOf } from './programs.ts';

export async function limitDescriptors(pid: number, limit: number): Promise<void> {
  await outputOf('prlimit', ['--pid', String(pid), `--nofile=${limit}:`]);
}
