import { createFileReader } from '../../../../helpers/outside-files.ts';
import { createDms } from '../../../../service/paperless/dms.ts';
import { createSecretReader, type SecretReader } from '../../../../service/paperless/secrets.ts';
import { CALL_TIMES, type CallTimes } from '../../../../service/scan/call/running-scans.ts';
import { makePipe } from '../../../support/make-pipe.ts';
import { feedPages, type PartFaults } from '../../../support/scan-parts.ts';
import { assert, EVENT_MS, failure, temporaryDirectory, within } from '../../../support/suite.ts';
import { heldDeadline, scanTests, statuses } from './scan-bench.ts';

const test = scanTests('a token that cannot be read');

/** The preflight check gives up on the disk at once. */
const check: CallTimes['check'] = { ...CALL_TIMES.check, all: 1 };

const never = new Promise<never>(() => {});

const reading = (readSecret: SecretReader): PartFaults => ({
  feed: feedPages(1),
  dms: () => createDms(readSecret),
});

test('on a disk that hangs until the deadline: the answer is in time, no outcome is unknown, and resume files the scan', async (bench) => {
  const { times, pass } = heldDeadline();
  let isAssembled = false;
  const hanging = reading(() => {
    if (isAssembled) pass();
    return never;
  });
  const assemble = async (): Promise<void> => void (isAssembled = true);
  const { scans, archive } = await bench.start(
    { ...hanging, assemble },
    { times: { ...times, check } },
  );
  const called = failure('timeout', scans.scan(bench.call()));
  const { facts } = await within(EVENT_MS, called, 'the answer');
  assert.not.match(JSON.stringify(facts['documents']), /may have been accepted/);
  await within(EVENT_MS, scans.drain(), 'the end of the call');
  const { record } = await archive.find(String(facts['scan_id']));
  assert.is(record.state, 'failed');
  const { scans: later } = await bench.start();
  assert.is(statuses(await later.resume(String(facts['scan_id']))), 'submitted');
  assert.is(bench.dms.uploads().length, 1);
});

test('fails the delivery with the cause, and ends the scan', async (bench) => {
  const temporary = await temporaryDirectory();
  const sources = { directory: temporary.path, environment: {} };
  const hanging = createFileReader({ maxBytes: 100, timeoutMs: 20, read: () => never });
  await makePipe(`${temporary.path}/dms_api_token`);
  try {
    for (const [reader, cause] of [
      [createSecretReader(sources), /dms_api_token is a named pipe, not a plain file/],
      [createSecretReader({ ...sources, readFile: hanging }), /did not answer in time/],
    ] as const) {
      const { scans } = await bench.start(reading(reader));
      const result = await within(EVENT_MS, scans.scan(bench.call()), 'the result');
      const [entry] = result.documents[0]?.destinations ?? [];
      assert.match(entry?.status === 'failed' ? entry.error : 'submitted', cause);
      assert.is(result.state, 'finished');
      const { scans: later } = await bench.start();
      assert.is(statuses(await later.resume(result.scan_id)), 'submitted');
    }
  } finally {
    await temporary.remove();
  }
});
