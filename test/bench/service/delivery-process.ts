/**
 * Delivers documents as the service does, record and all, in a process of its own, so that its CPU time is not that of
 * the sample DMS: `node delivery-process.ts <DeliveryOrder as JSON>` prints one DeliveryTimes as JSON.
 */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createLog } from '../../../helpers/log.ts';
import { createScanArchive } from '../../../service/archive/scan-archive.ts';
import type { NewScanEvent } from '../../../service/archive/scan-event.ts';
import { createScanId } from '../../../service/archive/scan-id.ts';
import { viewOf } from '../../../service/archive/scan-view.ts';
import { createDms } from '../../../service/paperless/dms.ts';
import { deliverDocument } from '../../../service/paperless/upload/deliver-document.ts';
import type { Destination, DocumentFile } from '../../../service/paperless/destination.ts';
import { profileSchema } from '../../../service/profiles/schema.ts';
import { createDeadline } from '../../../service/scan/deadline.ts';
import { DEFAULT_REDELIVERY, deliver } from '../../../service/scan/stages/deliver.ts';
import type { Scan } from '../../../service/scan/scan.ts';
import { ownCpuSeconds } from '../machine.ts';
import type { DeliveryOrder, DeliveryTimes } from './delivery-time.ts';

const SECONDS = 300;

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- written by delivery-time.ts
const order = JSON.parse(process.argv[2] ?? '') as DeliveryOrder;
const { scan, files } = await prepareScan(order);
const dms = createDms(async () => order.token);

const plain = await timed(async () => {
  const { log, deadline } = scan;
  for (const document of files) {
    for (const destination of scan.record().settings.destinations) {
      const metadata = { title: document.filename };
      const { signal } = deadline;
      await deliverDocument({
        document,
        metadata,
        destination,
        readSecret: dms.readSecret,
        resolveMetadata: dms.names(signal).resolve,
        log,
        signal,
      });
    }
  }
});
const recorded = await timed(() => deliver(scan, dms, DEFAULT_REDELIVERY));
const submitted = viewOf(scan.record(), true)
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

async function prepareScan({
  directory,
  ...wanted
}: DeliveryOrder): Promise<{ scan: Scan; files: readonly DocumentFile[] }> {
  await mkdir(directory, { recursive: true });
  const destinations: Destination[] = Array.from({ length: wanted.destinations }, (_, index) => ({
    kind: 'dms',
    base_url: wanted.url,
    token_secret: `account_${index + 1}`,
  }));
  const schema = profileSchema({ output_dir: directory });
  const { value: settings, error } = schema.validate({ name: 'bench', destinations });
  if (error) throw error;
  const log = createLog('bench', 'silent');
  const archive = createScanArchive({ roots: () => [directory], listener: () => {}, log });
  const id = createScanId(new Date());
  const open = await archive.begin({ scan_id: id, profile: 'bench', request: {}, settings });
  const numbers = Array.from({ length: wanted.documents }, (_, index) => index + 1);
  const files = await Promise.all(
    numbers.map((number) => writeDocument(open.directory, number, wanted.bytes)),
  );
  const documents = files.map(({ filename }, index) => ({
    filename,
    pages: [index + 1],
    title: filename,
    metadata: {},
  }));
  const assembled = files.map(({ bytes, sha256 }, document): NewScanEvent => ({
    type: 'assembled',
    document,
    bytes,
    sha256,
    warnings: [],
  }));
  await open.append(
    { type: 'documents', documents, dropped_pages: [], warnings: [] },
    ...assembled,
  );
  const deadline = createDeadline(SECONDS, performance.now());
  const { signal: stop } = new AbortController();
  return { scan: { ...open, id, deadline, stop, log }, files };
}

/** Other bytes for each number, as two documents never are the same. */
async function writeDocument(
  directory: string,
  number: number,
  bytes: number,
): Promise<DocumentFile> {
  const content = Buffer.alloc(bytes, 'x');
  content.write(`%PDF-1.7\n${number}\n`);
  content.write('%%EOF\n', bytes - 6);
  const filename = `document-${String(number).padStart(4, '0')}.pdf`;
  const file = path.join(directory, filename);
  await writeFile(file, content);
  return {
    path: file,
    filename,
    bytes,
    sha256: createHash('sha256').update(content).digest('hex'),
  };
}
