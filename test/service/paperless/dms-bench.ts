import type { DmsDestination } from '../../../service/paperless/destination.ts';
import { createDms, type Dms } from '../../../service/paperless/dms.ts';
import type { SampleDmsOptions } from '../../../simulators/sample-dms/options.ts';
import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { PATIENT_TIMEOUTS_MS } from '../../support/patient-timeouts.ts';
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

export async function createDmsBench(options: Partial<SampleDmsOptions> = {}): Promise<DmsBench> {
  const temporary = await temporaryDirectory();
  const sample = await createSampleDms({
    tokens: [TOKEN],
    storeDir: temporary.path,
    ...options,
  });
  return {
    sample,
    dms: createDms(() => Promise.resolve(TOKEN), PATIENT_TIMEOUTS_MS),
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
