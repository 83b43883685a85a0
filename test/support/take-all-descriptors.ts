import { closeSync, openSync, readFileSync } from 'node:fs';
import * as assert from 'uvu/assert';
import { programEnvironment, runProgram } from '../../helpers/child-process.ts';
import { errorCode } from '../../helpers/error-code.ts';

/** Leaves this process no file descriptor; what it gives gives them back. */
export async function takeAllDescriptors(): Promise<() => Promise<void>> {
  const limit = async (soft: string): Promise<void> => {
    const args = ['--pid', String(process.pid), `--nofile=${soft}:`];
    const env = programEnvironment();
    await runProgram({ file: 'prlimit', args, cwd: '/', env }, { timeoutMs: 60_000 });
  };
  const before = /^Max open files +(?<soft>\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  await limit('128');
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch (error) {
    assert.is(errorCode(error), 'EMFILE');
  }
  return async () => {
    for (const descriptor of taken) closeSync(descriptor);
    await limit(before?.groups?.['soft'] ?? '1024');
  };
}
