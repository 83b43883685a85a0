import { closeSync, openSync, readFileSync } from 'node:fs';
import { errorCode } from '../../helpers/error-code.ts';
import { assert } from './suite.ts';
import { limitDescriptors } from './limit-descriptors.ts';

/** Uses up this process's file descriptors. Call the returned function to free them. */
export async function takeAllDescriptors(): Promise<() => Promise<void>> {
  const before = /^Max open files +(?<soft>\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  await limitDescriptors(process.pid, 128);
  const taken: number[] = [];
  try {
    for (;;) taken.push(openSync('/dev/null', 'r'));
  } catch (error) {
    assert.is(errorCode(error), 'EMFILE');
  }
  return async () => {
    for (const descriptor of taken) closeSync(descriptor);
    await limitDescriptors(process.pid, Number(before?.groups?.['soft'] ?? 1024));
  };
}
