import { createScanWatchers } from '../../../service/http/events/scan-watchers.ts';
import type { PartFaults } from '../../support/scan-parts.ts';
import { startTestApp, type TestApp } from '../../support/test-app.ts';
import { createScanBench, type ScanBench } from '../../service/scan/call/scan-bench.ts';

/** A service over simulated parts, with its HTTP interface. */
export interface WatchedService {
  readonly bench: ScanBench;
  readonly port: () => number;
  /** Starts it with these parts. A previous one must have ended. */
  readonly start: (faults?: PartFaults, token?: string) => Promise<void>;
  readonly drained: () => Promise<void>;
  close(): Promise<void>;
}

export async function createWatchedService(): Promise<WatchedService> {
  const bench = await createScanBench();
  let app: TestApp | undefined;
  let drain = (): Promise<void> => Promise.resolve();
  return {
    bench,
    port: () => app?.port ?? 0,
    start: async (faults, token) => {
      await drain();
      await app?.close();
      const watchers = createScanWatchers();
      const { scans, archive } = await bench.start(faults, { listener: watchers.listener });
      drain = scans.drain;
      const profiles = [bench.profile()];
      const parts = { ...scans, archive, watchers, profiles };
      app = await startTestApp({ ...parts, ...(token !== undefined && { token }) });
    },
    drained: () => drain(),
    close: async () => {
      await drain();
      await app?.close();
      await bench.close();
    },
  };
}
