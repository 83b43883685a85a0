import { writeFileSync } from 'node:fs';
import path from 'node:path';
import pLimit from 'p-limit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../helpers/failure.ts';
import { createProcessorClient } from '../../service/processor/processor-client.ts';
import { DEFAULT_REDELIVERY } from '../../service/scan/stages/deliver.ts';
import { createNetworkFaultProxy, type NetworkFaultProxy } from '../support/network-fault-proxy.ts';
import { capturedLog } from '../support/captured-log.ts';
import { rejection } from '../support/rejection.ts';
import { withFixture } from '../support/with-fixture.ts';
import { within } from '../support/within.ts';
import {
  FAULTS,
  isSlowOnly,
  MOMENTS,
  toxicsOf,
  type Fault,
  type Moment,
} from './network-support/network-faults.ts';
import { outcome } from './storage-support/invariants.ts';
import { filesLeftOpen } from '../support/open-files.ts';
import { createStorageBench, type StorageBench } from './storage-support/storage-bench.ts';
import { PAGE } from './storage-support/stub-scanner.ts';

const test = withFixture(
  suite('a page on its way to the processor over a network that fails'),
  () => createStorageBench(),
);

/** Of a call whose page hangs: longer than the scan takes on a machine that is busy. */
const DEADLINE_SECONDS = 4;

/** What a caller is promised beyond the deadline. */
const PROMISED_MS = 1000;

/** Each waits most of its time. */
const AT_ONCE = 4;

interface Case {
  readonly fault: Fault;
  readonly moment: Moment;
  /** The connections after the first one are hurt too. */
  readonly lasting: boolean;
}

async function check(bench: StorageBench, one: Case): Promise<void> {
  const proxy = await createNetworkFaultProxy({ port: bench.processor.port });
  try {
    await scanThrough(bench, proxy, one);
  } finally {
    await proxy.close();
  }
}

async function scanThrough(
  bench: StorageBench,
  proxy: NetworkFaultProxy,
  { fault, moment, lasting }: Case,
): Promise<void> {
  const what = `${fault} ${moment}${lasting ? ', lasting' : ''}`;
  const hurt = bench.newCase({
    processorUrl: `http://127.0.0.1:${proxy.port}`,
    ...(fault === 'hang' && { timeoutSeconds: DEADLINE_SECONDS }),
  });
  hurt.scanner.sheets = 1;
  hurt.scanner.onSheet = () => {
    const [now, later] = toxicsOf(fault, moment, PAGE.length / 2);
    proxy.setToxic(now, lasting ? (later ?? now) : undefined);
  };
  const service = hurt.start();
  const patience = fault === 'hang' ? DEADLINE_SECONDS * 1000 + PROMISED_MS : 30_000;
  const answer = await within(patience, outcome(service.scan()), `the answer with ${what}`);
  const [listed] = (await service.archive.list(1)).scans;
  const id = listed?.id ?? '';
  if (isSlowOnly(fault) || (!lasting && fault !== 'hang')) {
    assert.not.instance(answer, Failure, `${what}: ${(answer as Failure).message}`);
  } else {
    assert.instance(answer, Failure, what);
    const { code, facts } = answer as Failure;
    assert.is(code, fault === 'hang' ? 'timeout' : 'processor_unreachable', what);
    assert.is(facts['page_count'], 1, `${what}: the page is safe`);
    proxy.setToxic(undefined);
    await service.resume(id, DEFAULT_REDELIVERY);
  }
  const arrived = bench.dms.uploads().filter(({ filename }) => filename?.startsWith(id));
  assert.equal(
    arrived.map(({ status }) => status),
    [200],
    `${what}: filed once`,
  );
  hurt.remove();
}

for (const fault of FAULTS) {
  test(`${fault}: it is sent again, or the scan fails and can be picked up`, async (bench) => {
    const limit = pLimit(AT_ONCE);
    const cases = MOMENTS.flatMap((moment) =>
      [false, true].map((lasting): Case => ({ fault, moment, lasting })),
    );
    await Promise.all(cases.map((one) => limit(() => check(bench, one))));
  });
}

test('a page whose scan ends before its first byte is asked for leaves no file open', async (bench) => {
  const pageFile = path.join(bench.disk.path, 'page-0001.tif');
  writeFileSync(pageFile, PAGE);
  const client = createProcessorClient({ baseUrl: bench.processor.url, log: capturedLog().log });
  const stop = new AbortController();
  const outFile = path.join(bench.disk.path, 'page-0001.pdf');
  const options = { languages: ['eng'], deskew: false, rotate_pages: false, optimize: 1 };
  const page = client.recognizePage({ pageFile, outFile, options, signal: stop.signal });
  setImmediate(() => stop.abort(new Error('the scan ended')));
  assert.match(String(await rejection(page)), 'the scan ended');
  assert.equal(await filesLeftOpen(bench.disk.path), []);
});

test.run();
