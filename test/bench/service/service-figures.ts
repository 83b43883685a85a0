import { setTimeout as wait } from 'node:timers/promises';
import type { Appliance } from '../../support/appliance/appliance.ts';
import { measureOurs } from '../our-side.ts';
import { type PageSet, stackOfPages } from '../page-sets.ts';
import { residentMb } from '../process-tree.ts';
import { median } from '../statistics.ts';
import type { Workbench } from '../workbench.ts';
import { describeDeployed, readDeployedService } from './deployed-service.ts';
import { type HealthLatency, measureHealth } from './health-latency.ts';
import { type LargeDocument, measureLargeDocument } from './large-document.ts';

export interface StartFigures {
  /** From the start of the process to 200 of /ready, the other parts being there. */
  readonly ready_ms: number;
  /** Resident memory of each part, some seconds after its start and with nothing to do, in MB. */
  readonly at_rest_mb: Readonly<Record<string, number>>;
}

const STARTS = 5;

/** What a start has left behind is gone after this time. */
const SETTLE_MS = 3000;

const POLL_MS = 5;

/** Restarts the service a few times, then lets all parts come to rest. */
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
  // The other parts have scanned and recognised all the while.
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

/** What the service itself costs. */
export interface ServiceFigures {
  /** The command and the settings that it is run with, as deployed. */
  readonly settings: string;
  readonly start: StartFigures;
  readonly large: LargeDocument;
  readonly health: HealthLatency;
}

/** Pages of the scan that /health is asked beside. */
const HEALTH_PAGES = 10;

/** Measures start, rest, a large document, and /health beside a scan of gray pages that come as fast as they can. */
export async function measureService(
  bench: Workbench,
  { gray, largeDocumentMb, cores }: { gray: PageSet; largeDocumentMb: number; cores: number },
): Promise<ServiceFigures> {
  const { appliance } = bench;
  const deployed = await readDeployedService();
  const start = await measureStart(appliance);
  const large = await measureLargeDocument(largeDocumentMb);
  const set = stackOfPages(gray, HEALTH_PAGES);
  const health = await measureHealth(appliance.service.port(), () =>
    measureOurs(bench, { set, pace: 'unpaced', variant: 'plain', cores }),
  );
  return { settings: describeDeployed(deployed), start, large, health };
}
