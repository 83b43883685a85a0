import { setTimeout as wait } from 'node:timers/promises';
import type { Appliance } from '../../support/appliance/appliance.ts';
import { residentMb } from '../process-tree.ts';
import { median } from '../statistics.ts';

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
export async function measureStart(appliance: Appliance): Promise<StartFigures> {
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
