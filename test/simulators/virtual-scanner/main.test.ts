import { createInterface } from 'node:readline';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  programEnvironment,
  startProgram,
  type RunningProgram,
} from '../../../helpers/child-process.ts';
import { PAGES_DIR } from '../../../simulators/pages/manifest.ts';
import type { ScannerState } from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import { openJob } from './escl-client.ts';

const MAIN = `${import.meta.dirname}/../../../simulators/virtual-scanner/main.ts`;
const TIMEOUT_MS = 60_000;

const test = suite('virtual scanner as a program');

function program(
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Parameters<typeof startProgram>[0] {
  return {
    file: process.execPath,
    args: [MAIN, ...args],
    cwd: PAGES_DIR,
    env: programEnvironment(env),
  };
}

/** Not by `kill`, which gives a program a second to end. */
function end({ pid }: RunningProgram, signal: 'SIGTERM' | 'SIGINT'): void {
  process.kill(pid ?? 0, signal);
}

test('serves the stack that it was told to, and ends on SIGTERM', async () => {
  const running = startProgram(program(['--port', '0'], { STACK: 'duplex', LOOP: '1' }), {
    timeoutMs: TIMEOUT_MS,
  });
  const lines = createInterface(running.stdout)[Symbol.asyncIterator]();
  const first = String((await lines.next()).value);
  const match = /^virtual scanner at (\S+), (\d+) sheets in the feeder$/.exec(first);
  const url = match?.[1] ?? '';
  assert.is(match?.[2], '4');
  await openJob(url);
  assert.is((await lines.next()).value, 'POST /eSCL/ScanJobs');
  const state = await fetch(url.replace('eSCL', 'control/state'));
  assert.is(((await state.json()) as ScannerState).jobsOpened, 1);
  end(running, 'SIGTERM');
  assert.is((await running.ended).exitCode, 0);
});

test('serves a directory without a manifest at a pace', async () => {
  const running = startProgram(program(['--port', '0', '--pages', PAGES_DIR, '--ppm', '30']), {
    timeoutMs: TIMEOUT_MS,
  });
  const lines = createInterface(running.stdout)[Symbol.asyncIterator]();
  assert.match(String((await lines.next()).value), /, 21 sheets in the feeder$/);
  end(running, 'SIGINT');
  assert.is((await running.ended).exitCode, 0);
});

test.run();
