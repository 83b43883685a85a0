import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, startProgram } from '../../helpers/child-process.ts';
import { cpuTimesOf } from './script-sides.ts';
import { watchTree } from './process-tree.ts';

const test = suite('CPU time and memory of processes');

/** 50 MB of memory and some tenths of a second of work, in a program that a program has started. */
const WORK = "node -e 'const b = Buffer.alloc(5e7, 1); let x = 0; for (const v of b) x += v;'";

test('what a program of ours started and ended is counted, apart from itself', async () => {
  const program = startProgram(
    {
      file: '/bin/sh',
      args: ['-c', `read line; ${WORK}; times; read line`],
      cwd: '/',
      env: programEnvironment({ PATH: process.env['PATH'] ?? '' }),
    },
    { timeoutMs: 30_000 },
  );
  const watch = watchTree({ parent: program.pid ?? 0 });
  program.stdin.write('work\n');
  let output = '';
  await new Promise<void>((resolve) => {
    program.stdout.on('data', (chunk: Buffer) => {
      output += chunk.toString();
      if (output.split('\n').length === 3) resolve();
    });
  });
  const { cpuSeconds, cpuShares, peakMb } = watch.stop();
  program.stdin.end('\n');
  await program.ended;
  assert.ok(cpuSeconds > 0.1, `${cpuSeconds} s`);
  assert.ok(Math.abs(cpuSeconds - cpuTimesOf(output)) < 0.05, `${cpuSeconds} s, ${output}`);
  assert.ok((cpuShares['programs of parent'] ?? 0) > 0.9 * cpuSeconds);
  assert.ok((peakMb['parent'] ?? 0) > 0.5);
});

test('CPU times are read from the last two lines of a script', () => {
  assert.is(cpuTimesOf('noise 9m9s\n0m0.50s 0m0.25s\n1m2.00s 0m1.00s\n'), 63.75);
  assert.throws(() => cpuTimesOf('nothing'), /no CPU times/);
});

test.run();
