import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { waitForScanner } from '../../../service/scan/wait-for-scanner.ts';
import { failure, rejection } from '../../support/rejection.ts';

const test = suite('waiting for the sheet on its way');

const SCAN = { id: '20261121T063000Z-8f3a1c', directory: '/scans/20261121T063000Z-8f3a1c' };
const never = new AbortController().signal;

test('ends when the runtime works in the directory no more', async () => {
  const answers = [true, true, false];
  const asked: string[] = [];
  const isScanning = (directory: string): Promise<boolean> => {
    asked.push(directory);
    return Promise.resolve(answers.shift() ?? false);
  };
  await waitForScanner(SCAN, { isScanning }, never);
  assert.equal(asked, [SCAN.directory, SCAN.directory, SCAN.directory]);
});

test('ends with the deadline of the call', async () => {
  const isScanning = (): Promise<boolean> => Promise.resolve(true);
  const error = await rejection(waitForScanner(SCAN, { isScanning }, AbortSignal.timeout(50)));
  assert.is((error as Error).name, 'AbortError');
});

test('fails when a runtime is there that does not answer', async () => {
  const isScanning = (): Promise<boolean> =>
    Promise.reject(new Failure('scanner_runtime_unreachable', 'no answer'));
  await failure('scanner_runtime_unreachable', waitForScanner(SCAN, { isScanning }, never));
});

test.run();
