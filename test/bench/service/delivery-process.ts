/**
 * Delivers documents as the service does, record and all, in a process of its own, so that its CPU time is not that of
 * the sample DMS: `node delivery-process.ts <DeliveryOrder as JSON>` prints one DeliveryTimes as JSON.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createLog } from '../../../helpers/log.ts';
import type { Destination } from '../../../service/destinations/destination.ts';
import { deliverDocuments } from '../../../service/destinations/deliver-documents.ts';
import { profileSchema } from '../../../service/profiles/schema.ts';
import { createDeadline } from '../../../service/scan/deadline.ts';
import { deliverScan } from '../../../service/scan/deliver-scan.ts';
import type { Scan } from '../../../service/scan/scan-call.ts';
import {
  keepScanRecord,
  newScanRecord,
  type ScannedDocument,
} from '../../../service/scan/scan-record.ts';
import { ownCpuSeconds } from '../machine.ts';
import type { DeliveryOrder, DeliveryTimes } from './delivery-time.ts';

const SECONDS = 300;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by delivery-time.ts
const order = JSON.parse(process.argv[2] ?? '') as DeliveryOrder;
const scan = await prepareScan(order);
const readSecret = async (): Promise<string> => order.token;
const documents = scan.record.current().documents.map((document) => ({
  document: { ...document, path: path.join(order.directory, document.filename) },
  metadata: { title: document.title },
}));

const plain = await timed(async () => {
  const { destinations } = scan.profile;
  const { log, deadline } = scan;
  await deliverDocuments({ documents, destinations, readSecret, log, signal: deadline.signal });
});
const recorded = await timed(() => deliverScan(scan, { readSecret }));
const submitted = scan.record
  .current()
  .documents.flatMap(({ destinations }) => destinations)
  .filter(({ status }) => status === 'submitted').length;
const times: DeliveryTimes = { plain, recorded, submitted };
process.stdout.write(JSON.stringify(times));

async function timed(work: () => Promise<void>): Promise<{ wallMs: number; cpuMs: number }> {
  const began = performance.now();
  const cpuBefore = ownCpuSeconds();
  await work();
  return { wallMs: performance.now() - began, cpuMs: (ownCpuSeconds() - cpuBefore) * 1000 };
}

async function prepareScan({ directory, ...wanted }: DeliveryOrder): Promise<Scan> {
  await mkdir(directory, { recursive: true });
  const destinations: Destination[] = Array.from({ length: wanted.destinations }, () => ({
    kind: 'dms',
    base_url: wanted.url,
    token_secret: 'dms_api_token',
  }));
  const schema = profileSchema({ output_dir: directory });
  const { value: profile, error } = schema.validate({ name: 'bench', destinations });
  if (error) throw error;
  const id = 'bench';
  const startedAt = new Date();
  const record = await keepScanRecord(
    directory,
    newScanRecord({
      scan_id: id,
      profile: profile.name,
      started_at: startedAt.toISOString(),
      request: {},
      settings: profile,
    }),
  );
  const made = Array.from({ length: wanted.documents }, (_, index) => index + 1);
  const documents = await Promise.all(
    made.map((number) => writeDocument(directory, number, wanted.bytes)),
  );
  await record.update({ state: 'delivering', stage: 'deliver', documents });
  const log = createLog('bench', 'silent');
  const deadline = createDeadline(SECONDS);
  return { id, directory, startedAt, record, profile, metadata: {}, deadline, log };
}

/** Other bytes for each number, as two documents never are the same. */
async function writeDocument(
  directory: string,
  number: number,
  bytes: number,
): Promise<ScannedDocument> {
  const content = Buffer.alloc(bytes, 'x');
  content.write(`%PDF-1.7\n${number}\n`);
  content.write('%%EOF\n', bytes - 6);
  const filename = `document-${String(number).padStart(4, '0')}.pdf`;
  await writeFile(path.join(directory, filename), content);
  return {
    filename,
    pages: [number],
    page_count: 1,
    bytes,
    sha256: createHash('sha256').update(content).digest('hex'),
    title: `Document ${number}`,
    destinations: [],
    outcomes: [],
  };
}
