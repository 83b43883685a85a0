import { shippedPage } from '../../support/pages.ts';
import { peakMb, resetPeak } from '../process-tree.ts';
import { startDeployedAppliance } from './deployed-appliance.ts';
import { startStandIn } from './stand-in-processor.ts';

const MB = 1_000_000;

export interface LargeDocument {
  readonly document_mb: number;
  /** Largest resident memory of the service while it received, stored and delivered the document. */
  readonly service_peak_mb: number;
  readonly seconds: number;
}

/**
 * A scan whose document has so many megabytes: a stand-in for the processor answers with it, everything else is real.
 */
export async function measureLargeDocument(megabytes: number): Promise<LargeDocument> {
  const processor = await startStandIn(megabytes * MB);
  const appliance = await startDeployedAppliance({
    profiles: [{ name: 'default', source: 'ADF', resolution: 100, page_size: 'a5' }],
    serviceEnvironment: { PROCESSOR_URL: processor.url.href, LOG_LEVEL: 'info' },
  });
  try {
    appliance.scanner.load([shippedPage('receipt').file]);
    resetPeak(appliance.service.pid());
    const began = performance.now();
    const answer = await appliance.scan({});
    const seconds = (performance.now() - began) / 1000;
    const [upload] = appliance.dms.uploads();
    if (answer.status !== 200 || upload?.bytes !== megabytes * MB) {
      throw new Error(`the large document was not delivered: ${answer.text}`);
    }
    return { document_mb: megabytes, service_peak_mb: peakMb(appliance.service.pid()), seconds };
  } finally {
    await appliance.close();
    await processor.close();
  }
}
