import { measureOurs } from '../our-side.ts';
import { stackOfPages, type PageSet } from '../page-sets.ts';
import type { Workbench } from '../workbench.ts';
import { describeDeployed, readDeployedService } from './deployed-service.ts';
import { measureDelivery, type DeliveryFigures } from './delivery-time.ts';
import { measureHealth, type HealthLatency } from './health-latency.ts';
import { measureLargeDocument, type LargeDocument } from './large-document.ts';
import { measureStart, type StartFigures } from './start-time.ts';

/** What the service itself costs. */
export interface ServiceFigures {
  /** The command and the settings that it is run with, as deployed. */
  readonly settings: string;
  readonly start: StartFigures;
  readonly delivery: DeliveryFigures;
  readonly large: LargeDocument;
  readonly health: HealthLatency;
}

/** Pages of the scan that /health is asked beside. */
const HEALTH_PAGES = 10;

/** Measures start, rest, delivery, a large document, and /health beside a scan of gray pages that come as fast as they can. */
export async function measureService(
  bench: Workbench,
  { gray, largeDocumentMb, cores }: { gray: PageSet; largeDocumentMb: number; cores: number },
): Promise<ServiceFigures> {
  const { appliance } = bench;
  const deployed = await readDeployedService();
  const start = await measureStart(appliance);
  const delivery = await measureDelivery(appliance, deployed);
  const large = await measureLargeDocument(largeDocumentMb);
  const set = { ...stackOfPages(gray, HEALTH_PAGES), mode: 'gray' } as const;
  const health = await measureHealth(appliance.service.port(), () =>
    measureOurs(bench, { set, pace: 'unpaced', variant: 'plain', cores }),
  );
  return { settings: describeDeployed(deployed), start, delivery, large, health };
}
