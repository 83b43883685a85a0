import pLimit from 'p-limit';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../helpers/failure.ts';
import { readStoredRecord } from '../support/stored-record.ts';
import { DEFAULT_REDELIVERY } from '../../service/scan/stages/deliver.ts';
import { createNetworkFaultProxy, type NetworkFaultProxy } from '../support/network-fault-proxy.ts';
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
import { createStorageBench, type StorageBench } from './storage-support/storage-bench.ts';

const test = withFixture(suite('an upload over a network that fails'), () => createStorageBench());

/** Bytes of the document; a small one, as one byte at a time takes long. */
const DOCUMENT_BYTES = 2000;

/** Of a call whose upload hangs: longer than scanning and processing take on a machine that is busy. */
const DEADLINE_SECONDS = 4;

/** What a caller is promised beyond the deadline. */
const PROMISED_MS = 1000;

/** Each waits most of its time. */
const AT_ONCE = 4;

async function check(bench: StorageBench, fault: Fault, moment: Moment): Promise<void> {
  const proxy = await createNetworkFaultProxy({ port: bench.dms.port });
  // What is asked before paper moves gets through.
  proxy.setToxic(undefined, ...toxicsOf(fault, moment, DOCUMENT_BYTES / 2));
  try {
    await scanThrough(bench, proxy, { fault, moment });
  } finally {
    await proxy.close();
  }
}

async function scanThrough(
  bench: StorageBench,
  proxy: NetworkFaultProxy,
  { fault, moment }: { readonly fault: Fault; readonly moment: Moment },
): Promise<void> {
  const what = `${fault} ${moment}`;
  const hurt = bench.newCase({
    dmsUrl: `http://127.0.0.1:${proxy.port}`,
    ...(fault === 'hang' && { timeoutSeconds: DEADLINE_SECONDS }),
  });
  hurt.scanner.sheets = 1;
  const service = hurt.start();
  const patience = fault === 'hang' ? DEADLINE_SECONDS * 1000 + PROMISED_MS : 30_000;
  const answer = await within(patience, outcome(service.scan()), `the answer with ${what}`);
  if (fault === 'hang') assert.is((answer as Failure).code, 'timeout', what);
  else assert.not.instance(answer, Failure, what);

  const [listed] = (await service.archive.list(1)).scans;
  const id = listed?.id ?? '';
  const arrived = (): number =>
    bench.dms.uploads().filter(({ status, filename }) => status === 200 && filename?.startsWith(id))
      .length;
  const entry = await entryOf(hurt.root, id);
  const reached = isSlowOnly(fault) || moment === 'before the answer' || moment === 'mid-answer';
  assert.is(arrived(), reached ? 1 : 0, `${what}: what the system got, it got once`);
  if (isSlowOnly(fault)) assert.is(entry, 'submitted accepted', what);
  // A connection that is reset while it is made has surely carried nothing.
  else if (moment === 'at the connection')
    assert.match(entry, /^failed (?:unknown|refused)$/, what);
  else assert.is(entry, 'failed unknown', what);

  proxy.setToxic(undefined);
  const before = proxy.connections();
  await service.resume(id, DEFAULT_REDELIVERY);
  const sent = proxy.connections() - before;
  assert.is(sent, entry.endsWith('refused') ? 1 : 0, `${what}: nothing doubtful is sent again`);
  await service.resume(id, { ...DEFAULT_REDELIVERY, resend_unknown: true });
  assert.is(await entryOf(hurt.root, id), 'submitted accepted', `${what}: when asked for, it is`);
  hurt.remove();
}

/** The entry of the one document and the one destination, and what is known of it. */
async function entryOf(root: string, id: string): Promise<string> {
  const { documents } = await readStoredRecord(`${root}/${id}`);
  const [document] = documents;
  return `${document?.destinations[0]?.status} ${document?.outcomes[0]}`;
}

for (const fault of FAULTS) {
  test(`${fault}: is told as it is, and nothing arrives twice`, async (bench) => {
    bench.processor.pageBytes = DOCUMENT_BYTES;
    const limit = pLimit(AT_ONCE);
    await Promise.all(MOMENTS.map((moment) => limit(() => check(bench, fault, moment))));
  });
}

test.run();
