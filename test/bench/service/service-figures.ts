import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { programEnvironment, startProgram } from '../../../helpers/child-process.ts';
import type { Appliance } from '../../support/appliance/appliance.ts';
import { shippedPage } from '../../support/pages.ts';
import { createStubProcessor } from '../../support/stub-processor.ts';
import { peakMb, resetPeak, residentMb } from '../machine.ts';
import { stackOfPages } from '../page-sets.ts';
import { median, percentile } from '../statistics.ts';
import { measureOurs, type Run } from '../sides.ts';
import type { Workbench } from '../workbench.ts';
import { startDeployedAppliance } from './deployed-service.ts';

interface StartFigures {
  /** Time from the start of the process until /ready returns 200, with the other parts running. */
  readonly ready_ms: number;
  /** Resident memory of each idle part, some seconds after its start, in MB. */
  readonly at_rest_mb: Readonly<Record<string, number>>;
}

const STARTS = 5;

/** Memory used only during the start is free by then. */
const SETTLE_MS = 3000;

const POLL_MS = 5;

async function measureStart(appliance: Appliance): Promise<StartFigures> {
  const { runtime, processor } = appliance;
  const times: number[] = [];
  for (let start = 0; start < STARTS; start += 1) {
    await appliance.service.stop();
    const began = performance.now();
    await appliance.service.start();
    while ((await appliance.get('/ready')).status !== 200) await wait(POLL_MS);
    times.push(performance.now() - began);
  }
  // Memory at rest is measured after a restart, since the parts keep memory from the scan.
  await appliance.service.stop();
  await Promise.all([runtime.stop(), processor.stop()]);
  await Promise.all([runtime.start(), processor.start()]);
  await appliance.service.start();
  await wait(SETTLE_MS);
  return {
    ready_ms: median(times),
    at_rest_mb: {
      service: residentMb(appliance.service.pid()),
      'scanner runtime': residentMb(runtime.pid()),
      processor: residentMb(processor.pid()),
    },
  };
}

export interface ServiceFigures {
  readonly start: StartFigures;
  readonly large: LargeDocument;
  readonly health: HealthLatency;
}

const HEALTH_PAGES = 10;

export async function measureService(
  bench: Workbench,
  { largeDocumentMb, ...run }: Run & { readonly largeDocumentMb: number },
): Promise<ServiceFigures> {
  const start = await measureStart(bench.appliance);
  const large = await measureLargeDocument(largeDocumentMb);
  const set = stackOfPages(run.set, HEALTH_PAGES);
  const health = await measureHealth(bench.appliance.service.port(), () =>
    measureOurs(bench, { ...run, set, pace: 'unpaced', variant: 'plain' }),
  );
  return { start, large, health };
}

const PROBE_MS = 10 * 60_000;

interface HealthLatency {
  readonly asked: number;
  readonly p50_ms: number;
  readonly p99_ms: number;
  readonly max_ms: number;
}

async function measureHealth(port: number, work: () => Promise<unknown>): Promise<HealthLatency> {
  const probe = startProgram(
    {
      file: process.execPath,
      args: [path.join(import.meta.dirname, 'health-process.ts'), String(port)],
      cwd: '/',
      env: programEnvironment(),
    },
    { timeoutMs: PROBE_MS },
  );
  try {
    await work();
  } finally {
    probe.stdin.end();
  }
  const { stdout, stderr, exitCode } = await probe.ended;
  if (exitCode !== 0) throw new Error(`/health was not answered: ${stderr}`);
  const times = JSON.parse(stdout) as number[];
  return {
    asked: times.length,
    p50_ms: percentile(times, 50),
    p99_ms: percentile(times, 99),
    max_ms: Math.max(...times),
  };
}

const MB = 1_000_000;

interface LargeDocument {
  readonly document_mb: number;
  /** Peak memory while the service received, stored and delivered the document. */
  readonly service_peak_mb: number;
}

async function measureLargeDocument(megabytes: number): Promise<LargeDocument> {
  const processor = await createStubProcessor();
  processor.documentBytes = megabytes * MB;
  const appliance = await startDeployedAppliance({
    profiles: [{ name: 'default', source: 'ADF', resolution: 100, page_size: 'a5' }],
    serviceEnvironment: { PROCESSOR_URL: processor.url, LOG_LEVEL: 'info' },
  });
  try {
    appliance.scanner.load([shippedPage('receipt').file]);
    resetPeak(appliance.service.pid());
    const answer = await appliance.scan({});
    const [upload] = appliance.dms.uploads();
    if (answer.status !== 200 || upload?.bytes !== megabytes * MB) {
      throw new Error(`the large document was not delivered: ${answer.text}`);
    }
    return { document_mb: megabytes, service_peak_mb: peakMb(appliance.service.pid()) };
  } finally {
    await appliance.close();
    await processor.close();
  }
}
