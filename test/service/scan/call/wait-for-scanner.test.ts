import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import type { RunningScan } from '../../../../helpers/ipc/messages.ts';
import { waitForScanner } from '../../../../service/scan/call/wait-for-scanner.ts';
import { failure, rejection } from '../../../support/rejection.ts';

const test = suite('waiting for the sheet on its way');

const SCAN = { id: '20261121T063000Z-8f3a1c', directory: '/scans/20261121T063000Z-8f3a1c' };
const RUNNING = { directory: SCAN.directory, asked: 'auto', device: null };
const never = new AbortController().signal;

test('ends when the runtime works in the directory no more', async () => {
  const other = { ...RUNNING, directory: '/scans/another' };
  const answers = [[RUNNING], [other, RUNNING], [other], []];
  await waitForScanner(SCAN, { scanning: async () => answers.shift() ?? [] }, never);
  assert.equal(answers, [[]]);
});

test('ends with the deadline of the call', async () => {
  const scanning = (): Promise<RunningScan[]> => Promise.resolve([RUNNING]);
  const error = await rejection(waitForScanner(SCAN, { scanning }, AbortSignal.timeout(50)));
  assert.is((error as Error).name, 'AbortError');
});

test('fails when a runtime is there that does not answer', async () => {
  const scanning = (): Promise<RunningScan[]> =>
    Promise.reject(new Failure('scanner_runtime_unreachable', 'no answer'));
  await failure('scanner_runtime_unreachable', waitForScanner(SCAN, { scanning }, never));
});

test.run();
