import type { DmsDestination } from '../../../service/destinations/destination.ts';
import { createDms, type Dms } from '../../../service/dms/dms.ts';
import type { SampleDmsOptions } from '../../../simulators/sample-dms/options.ts';
import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

/** A sample DMS, and what the service knows of it. */
export interface DmsBench {
  readonly sample: SampleDms;
  readonly dms: Dms;
  readonly destination: (change?: Partial<DmsDestination>) => DmsDestination;
  readonly close: () => Promise<void>;
}

export const TOKEN = 'sentinel-token';

export const NEVER = new AbortController().signal;

/** Nothing hangs in these tests. */
const TIMEOUTS_MS = {
  lookup: 60_000,
  connect: 60_000,
  secureConnect: 60_000,
  socket: 60_000,
  send: 60_000,
  response: 60_000,
  read: 60_000,
};

export async function createDmsBench(options: Partial<SampleDmsOptions> = {}): Promise<DmsBench> {
  const temporary = await temporaryDirectory();
  const sample = await createSampleDms({
    tokens: [TOKEN],
    storeDir: temporary.path,
    ...options,
  });
  return {
    sample,
    dms: createDms(() => Promise.resolve(TOKEN), TIMEOUTS_MS),
    destination: (change = {}) => ({
      kind: 'dms',
      base_url: sample.url,
      token_secret: 'dms_api_token',
      ...change,
    }),
    close: async () => {
      await sample.close();
      await temporary.remove();
    },
  };
}
