import { programEnvironment, runProgram } from '../../helpers/child-process.ts';

/** For a program that only asks the kernel, in milliseconds. */
const PRLIMIT_MS = 10_000;

/** Lets a process that runs have file descriptors below this number only (`ulimit -n`), until it is set again. */
export async function limitDescriptors(pid: number, limit: number): Promise<void> {
  const args = ['--pid', String(pid), `--nofile=${limit}:`];
  const program = { file: 'prlimit', args, cwd: '/', env: programEnvironment() };
  const { exitCode, stderr } = await runProgram(program, { timeoutMs: PRLIMIT_MS });
  if (exitCode !== 0) throw new Error(`prlimit: ${stderr}`);
}
