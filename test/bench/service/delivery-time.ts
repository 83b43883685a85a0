import path from 'node:path';
import { DMS_TOKEN, type Appliance } from '../../support/appliance/appliance.ts';
import { programEnvironment, runProgram } from '../../../helpers/child-process.ts';
import { sum } from '../statistics.ts';
import type { DeployedService } from './deployed-service.ts';

/** What delivery-process.ts is to do. */
export interface DeliveryOrder {
  readonly url: string;
  readonly token: string;
  readonly directory: string;
  readonly documents: number;
  readonly destinations: number;
  /** Of each document. */
  readonly bytes: number;
}

/** What it took: the uploads alone, and the stage of the service, which records what becomes known between two of them. */
export interface DeliveryTimes {
  readonly plain: { readonly wallMs: number; readonly cpuMs: number };
  readonly recorded: { readonly wallMs: number; readonly cpuMs: number };
  readonly submitted: number;
}

/** All per upload, in ms. */
export interface DeliveryFigures {
  readonly uploads: number;
  /** From the end of one upload to the end of the next. */
  readonly wall_ms: number;
  /** From the moment that the DMS has the headers to the end of its answer. */
  readonly dms_ms: number;
  /** The rest: ours. */
  readonly own_ms: number;
  readonly own_cpu_ms: number;
  /** The rest without the events of the scan: the upload alone. */
  readonly own_upload_ms: number;
}

/** About what a scanned page takes. */
const DOCUMENT_BYTES = 200_000;

/** For four hundred uploads that should take 10 ms each. */
const DELIVERY_MS = 120_000;

/** 100 documents to 2 destinations that answer at once, by a process with the settings of the service. */
export async function measureDelivery(
  appliance: Appliance,
  { environment, nodeOptions }: DeployedService,
): Promise<DeliveryFigures> {
  const order: DeliveryOrder = {
    url: appliance.dms.url,
    token: DMS_TOKEN,
    directory: path.join(appliance.directory, 'delivery'),
    documents: 100,
    destinations: 2,
    bytes: DOCUMENT_BYTES,
  };
  const uploads = order.documents * order.destinations;
  const before = appliance.dms.uploads().length;
  const script = path.join(import.meta.dirname, 'delivery-process.ts');
  const ended = await runProgram(
    {
      file: process.execPath,
      args: [...nodeOptions, script, JSON.stringify(order)],
      cwd: appliance.directory,
      env: programEnvironment(environment),
    },
    { timeoutMs: DELIVERY_MS },
  );
  if (ended.exitCode !== 0) throw new Error(`the delivery failed:\n${ended.stderr}`);
  const times = JSON.parse(ended.stdout) as DeliveryTimes;
  const records = appliance.dms.uploads().slice(before);
  if (times.submitted !== uploads || records.length !== 2 * uploads) {
    throw new Error(`${times.submitted} of ${uploads} uploads were accepted`);
  }
  const dmsMs = (from: number): number =>
    sum(
      records
        .slice(from, from + uploads)
        .map(({ started_ms, ended_ms }) => (ended_ms ?? Number.NaN) - started_ms),
    ) / uploads;
  const wall = times.recorded.wallMs / uploads;
  return {
    uploads,
    wall_ms: wall,
    dms_ms: dmsMs(uploads),
    own_ms: wall - dmsMs(uploads),
    own_cpu_ms: times.recorded.cpuMs / uploads,
    own_upload_ms: times.plain.wallMs / uploads - dmsMs(0),
  };
}
