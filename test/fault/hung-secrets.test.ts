import { constants } from 'node:fs';
import { mkdir, open, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { DMS_TOKEN } from '../support/appliance/appliance.ts';
import { makePipe } from '../support/make-pipe.ts';
import type { TestAnswer } from '../support/send-to.ts';
import {
  assert,
  suite,
  temporaryDirectory,
  type TemporaryDirectory,
  until,
  within,
} from '../support/suite.ts';
import { startFaultBench, type FaultBench } from './support/fault-bench.ts';
import { BLANK_PAGE } from './support/invariants.ts';

interface Context {
  bench: FaultBench;
  temporary: TemporaryDirectory;
}

const test = suite<Context>('an unresponsive share with secrets');

/** Reads continue when the test writes to this pipe. */
const pipeOf = ({ temporary }: Context): string => path.join(temporary.path, 'pipe');

/** Calls that need a secret: more than the service has threads. */
const CALLERS = 180;

/** Time limit for requests that need no secret, on a busy machine. */
const SOON_MS = 20_000;

/** Time limit for all answers. The service gives up on a secret after 10 s at the latest. */
const ANSWERS_TIMEOUT_MS = 40_000;

const HASTY_SECONDS = 6;

test.before(async (context) => {
  context.temporary = await temporaryDirectory();
  const secrets = path.join(context.temporary.path, 'secrets');
  await mkdir(secrets);
  await writeFile(path.join(secrets, 'dms_api_token'), DMS_TOKEN);
  await writeFile(path.join(secrets, 'other_token'), DMS_TOKEN);
  context.bench = await startFaultBench({
    profiles: [{ name: 'hasty', timeout_seconds: HASTY_SECONDS }],
    serviceEnvironment: {
      SECRETS_DIR: secrets,
      NODE_OPTIONS: `--import=${import.meta.resolve('./support/hung-disk-preload.ts')}`,
      HUNG_DIR: secrets,
      HUNG_PIPE: pipeOf(context),
      // Node's default.
      UV_THREADPOOL_SIZE: '4',
    },
  });
});

test.after(async ({ bench, temporary }) => {
  await bench.close();
  await temporary.remove();
});

async function answerAgain(context: Context): Promise<void> {
  const writer = await open(pipeOf(context), constants.O_RDWR | constants.O_NONBLOCK);
  await rm(pipeOf(context));
  await writer.close();
}

test('fails the calls that need a secret, and blocks no others', async (context) => {
  const { appliance } = context.bench;
  // Waits for the self-test at start: the calls would share its result, and it may have read the
  // secret before reads hang.
  const { service } = appliance;
  await until(() => service.output().includes('"event":"self_test"'), 'the self-test of the start');
  await makePipe(pipeOf(context));
  const calls = Array.from({ length: CALLERS }, (_, number) =>
    appliance.get(number % 2 === 0 ? '/metadata/tags?profile=default' : '/self-test?refresh=true'),
  );
  const answers = within(ANSWERS_TIMEOUT_MS, Promise.all(calls), 'an answer for each call');
  for (let look = 0; look < 5; look += 1) {
    for (const url of ['/scans', '/profiles', '/health', '/docs']) {
      const answer = await within(SOON_MS, appliance.get(url), url);
      assert.is(answer.status, 200, answer.text);
    }
  }
  const tests: TestAnswer[] = [];
  for (const answer of await answers) {
    if (answer.status === 200) tests.push(answer);
    else assert.equal([answer.status, answer.json?.['error']], [503, 'destination_unavailable']);
  }
  assert.is(tests.length, CALLERS / 2);
  // The message says "in time" if a busy machine delays a self-test so that it joins a read which
  // the service gives up before the 3 s of the self-test are over.
  const failed =
    /"id":"secrets\.token"[^}]*"status":"fail"[^}]*did not answer (?:within 3 s|in time)/;
  for (const { text } of tests) assert.match(text, failed);
});

test('fails the delivery with its cause, or the call in time; resume files both scans', async (context) => {
  const { bench } = context;
  const { scanner } = bench.appliance;
  const ids: string[] = [];
  for (const [profile, status] of [
    ['default', 200],
    ['hasty', 504],
  ] as const) {
    scanner.load([BLANK_PAGE]);
    const { answer } = await bench.scan({ profile });
    assert.is(answer?.status, status, answer?.text);
    assert.not.match(answer?.text ?? '', /may have been accepted|"submitted"/);
    if (status === 200) assert.match(answer?.text ?? '', /dms_api_token did not answer in time/);
    ids.push(String(answer?.json?.['scan_id']));
  }
  const early = await bench.resume(ids[0] ?? '');
  assert.is(early.answer?.status, 200, early.answer?.text);
  assert.match(early.answer?.text ?? '', /dms_api_token did not answer in time/);
  await answerAgain(context);
  for (const id of ids) {
    const resumed = await bench.resume(id);
    assert.match(resumed.answer?.text ?? '', /"status":"submitted"/);
  }
  assert.is((await bench.dms.documents()).length, 2);
});

test('SIGTERM ends the service even while its threads hang', async (context) => {
  const { service } = context.bench.appliance;
  await makePipe(pipeOf(context));
  const asked = context.bench.appliance.get('/metadata/tags?profile=default');
  assert.is((await within(ANSWERS_TIMEOUT_MS, asked, 'the answer')).status, 503);
  const left = service.nextLine(/"event":"left_hanging_files"/);
  assert.is(await service.stop('SIGTERM'), 0);
  await left;
  await answerAgain(context);
});
