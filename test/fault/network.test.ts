import { writeFileSync } from 'node:fs';
import path from 'node:path';
import pLimit from 'p-limit';
import { Failure } from '../../helpers/failure.ts';
import type { ScanResult } from '../../service/archive/scan-view.ts';
import { createProcessorClient } from '../../service/processor/processor-client.ts';
import { DEFAULT_REDELIVERY } from '../../service/archive/upload-decision.ts';
import { capturedLog } from '../support/captured-log.ts';
import {
  createNetworkFaultProxy,
  type NetworkFaultProxy,
  type Place,
  type Toxic,
} from '../support/network-fault-proxy.ts';
import { filesLeftOpen } from '../support/processes.ts';
import { readStoredRecord } from '../support/stored-record.ts';
import { assert, EVENT_MS, rejection, withFixture, within } from '../support/suite.ts';
import { outcome } from './storage-support/invariants.ts';
import {
  createStorageBench,
  PAGE,
  type Service,
  type StorageBench,
  type StorageCase,
} from './storage-support/storage-bench.ts';

const test = withFixture('a network that fails', () => createStorageBench());

/** Much longer than a request on loopback, much shorter than every timeout. */
const LATENCY_MS = 50;

/** The moments of an upload at which a fault starts; `bodyBytes` is about half a request. */
const MOMENTS = {
  'at the connection': () => ({ to: 'server', bytes: 0 }),
  'mid-body': (bytes) => ({ to: 'server', bytes }),
  'before the answer': () => ({ to: 'client', bytes: 0 }),
  'mid-answer': () => ({ to: 'client', bytes: 60 }),
} as const satisfies Readonly<Record<string, (bodyBytes: number) => Place>>;
type Moment = keyof typeof MOMENTS;

type Toxics = readonly [now: Toxic, later?: Toxic];

/** Continues an answer with garbage, or starts one and cuts it off. */
const halfAnswer = ({ bytes }: Place): string =>
  bytes === 60 ? 'x' : 'HTTP/1.1 200 OK\r\nContent-Length: 38\r\n\r\n"000';

/**
 * Eight network faults, named as in toxiproxy. A fault lists the toxics of the affected connection
 * and of later ones.
 */
const FAULTS = {
  latency: (after) => [{ kind: 'latency', ms: LATENCY_MS, after }],
  down: (place) => [{ kind: 'limit', ...place }, { kind: 'down' }],
  reset: (place) => [{ kind: 'reset', ...place }],
  'slow close': (place) => [{ kind: 'limit', ms: 10 * LATENCY_MS, ...place }],
  'half answer': (place) => [{ kind: 'limit', answer: halfAnswer(place), ...place }],
  limit: (place) => [{ kind: 'limit', ...place }],
  slicer: (after) => [{ kind: 'slicer', bytes: 8, after }],
  hang: (place) => [{ kind: 'hang', ...place }],
} as const satisfies Readonly<Record<string, (place: Place) => Toxics>>;
type Fault = keyof typeof FAULTS;

const SLOW: readonly Fault[] = ['latency', 'slicer'];

/** Time limit of a scan whose connection hangs. Even a busy machine reaches the hang earlier. */
const DEADLINE_SECONDS = 4;

/** How long after the deadline a caller may wait for its answer. */
const PROMISED_MS = 1000;

/** Scans mostly wait, so several run at once. */
const AT_ONCE = 4;

/** A small document, since slicing takes long. */
const DOCUMENT_BYTES = 2000;

interface Case {
  readonly fault: Fault;
  readonly moment: Moment;
  readonly lasting?: boolean;
}

interface FaultyScan {
  readonly what: string;
  readonly proxy: NetworkFaultProxy;
  readonly scan: StorageCase;
  readonly service: Service;
  readonly answer: ScanResult | Failure;
  readonly id: string;
  /** Uploads of this scan that the DMS accepted. */
  readonly arrived: () => number;
}

async function scanOverFault(
  bench: StorageBench,
  way: 'page' | 'upload',
  { fault, moment, lasting = false }: Case,
  check: (scan: FaultyScan) => Promise<void>,
): Promise<void> {
  const what = `${fault} ${moment}${lasting ? ', lasting' : ''}`;
  const proxy = await createNetworkFaultProxy(way === 'page' ? bench.processor : bench.dms);
  try {
    const url = `http://127.0.0.1:${proxy.port}`;
    const scan = bench.newCase({
      ...(way === 'page' ? { processorUrl: url } : { dmsUrl: url }),
      ...(fault === 'hang' && { timeoutSeconds: DEADLINE_SECONDS }),
    });
    scan.scanner.sheets = 1;
    const bytes = (way === 'page' ? PAGE.length : DOCUMENT_BYTES) / 2;
    const [now, later]: Toxics = FAULTS[fault](MOMENTS[moment](bytes));
    if (way === 'page') {
      scan.scanner.onSheet = () => proxy.setToxic(now, lasting ? (later ?? now) : undefined);
    } else {
      proxy.setToxic(undefined, now, later);
    }
    const service = scan.start();
    const timeoutMs = fault === 'hang' ? DEADLINE_SECONDS * 1000 + PROMISED_MS : EVENT_MS;
    const answer = await within(timeoutMs, outcome(service.scan()), `the answer with ${what}`);
    const id = (await service.archive.list(1)).scans[0]?.id ?? '';
    const arrived = (): number =>
      bench.dms
        .uploads()
        .filter(({ status, filename }) => status === 200 && filename?.startsWith(id)).length;
    await check({ what, proxy, scan, service, answer, id, arrived });
    scan.remove();
  } finally {
    await proxy.close();
  }
}

for (const fault of Object.keys(FAULTS) as Fault[]) {
  test(`a page and ${fault}: it is sent again, or the scan fails and can be resumed`, async (bench) => {
    const limit = pLimit(AT_ONCE);
    const cases = (Object.keys(MOMENTS) as Moment[]).flatMap((moment) =>
      [false, true].map((lasting): Case => ({ fault, moment, lasting })),
    );
    const check = async (one: Case, has: FaultyScan): Promise<void> => {
      const { answer, what, proxy, service, id, arrived } = has;
      if (SLOW.includes(fault) || (!one.lasting && fault !== 'hang')) {
        assert.not.instance(answer, Failure, `${what}: ${(answer as Failure).message}`);
      } else {
        assert.instance(answer, Failure, what);
        const { code, facts } = answer as Failure;
        assert.is(code, fault === 'hang' ? 'timeout' : 'processor_unreachable', what);
        assert.is(facts['page_count'], 1, `${what}: the page is safe`);
        proxy.setToxic(undefined);
        await service.resume(id, DEFAULT_REDELIVERY);
      }
      assert.is(arrived(), 1, `${what}: filed once`);
    };
    const runs = cases.map((one) =>
      limit(() => scanOverFault(bench, 'page', one, (has) => check(one, has))),
    );
    await Promise.all(runs);
  });

  test(`an upload and ${fault}: the outcome is reported correctly, and nothing arrives twice`, async (bench) => {
    bench.processor.pageBytes = DOCUMENT_BYTES;
    const limit = pLimit(AT_ONCE);
    const runs = (Object.keys(MOMENTS) as Moment[]).map((moment) =>
      limit(() =>
        scanOverFault(bench, 'upload', { fault, moment }, (has) => checkUpload(fault, moment, has)),
      ),
    );
    await Promise.all(runs);
  });
}

async function checkUpload(fault: Fault, moment: Moment, has: FaultyScan): Promise<void> {
  const { answer, what, proxy, scan, service, id, arrived } = has;
  if (fault === 'hang') assert.is((answer as Failure).code, 'timeout', what);
  else assert.not.instance(answer, Failure, what);
  const entryOf = async (): Promise<string> => {
    const [document] = (await readStoredRecord(path.join(scan.root, id))).documents;
    return `${document?.destinations[0]?.status} ${document?.outcomes[0]}`;
  };
  const entry = await entryOf();
  const reached = SLOW.includes(fault) || moment.endsWith('answer');
  assert.is(arrived(), reached ? 1 : 0, `${what}: what the system got, it got once`);
  if (SLOW.includes(fault)) assert.is(entry, 'submitted accepted', what);
  // A connection reset while connecting has carried no data.
  else if (moment === 'at the connection')
    assert.match(entry, /^failed (?:unknown|refused)$/, what);
  else assert.is(entry, 'failed unknown', what);

  proxy.setToxic(undefined);
  const before = proxy.connections();
  await service.resume(id, DEFAULT_REDELIVERY);
  const sent = proxy.connections() - before;
  assert.is(sent, entry.endsWith('refused') ? 1 : 0, `${what}: nothing doubtful is sent again`);
  await service.resume(id, { ...DEFAULT_REDELIVERY, resend_unknown: true });
  assert.is(await entryOf(), 'submitted accepted', `${what}: when asked for, it is`);
}

test('a page whose scan ends before its first byte is read leaves no file open', async (bench) => {
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
