import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import {
  startAppliance,
  type Appliance,
  type ApplianceOptions,
} from '../../support/appliance/appliance.ts';
import { type Test, temporaryDirectory } from '../../support/suite.ts';
import type { TestAnswer } from '../../support/send-to.ts';
import { createDmsPart, type DmsPart } from './dms-part.ts';

/** Time limit of every scan. No case needs a tenth of it; a hang ends in a 504. */
export const SCAN_SECONDS = 40;

const SCANNING = {
  source: 'ADF',
  mode: 'Gray',
  resolution: 100,
  page_size: 'a6',
  timeout_seconds: SCAN_SECONDS,
};

/** `answer` is undefined if the connection broke. */
export interface Call {
  readonly answer: TestAnswer | undefined;
  readonly ms: number;
}

type Profile = ApplianceOptions['profiles'][number];

/** An appliance whose parts can all be killed, including the DMS. */
export interface FaultBench {
  readonly appliance: Appliance;
  readonly dms: DmsPart;
  /** Working directories of this appliance's native programs, and of no others. */
  readonly directories: readonly string[];
  scan(body?: object, headers?: Record<string, string>): Promise<Call>;
  resume(scanId: string, body?: object): Promise<Call>;
  close(): Promise<void>;
}

export function withFaultBench<Context extends { bench: FaultBench }>(
  test: Test<Context>,
  options: Partial<ApplianceOptions> = {},
): void {
  test.before(async (context) => {
    context.bench = await startFaultBench(options);
  });
  test.after(({ bench }) => bench.close());
}

/** Starts an appliance whose profiles deliver to a DMS in its own process. */
export async function startFaultBench(
  options: Partial<ApplianceOptions> = {},
): Promise<FaultBench> {
  const temporary = await temporaryDirectory();
  const [dmsDir, workDir] = ['dms', 'work'].map((name) => path.join(temporary.path, name));
  await mkdir(workDir ?? '');
  const dms = createDmsPart(dmsDir ?? '');
  await dms.start();
  const withDestination = (profile: Profile): Profile => ({
    ...SCANNING,
    destinations: [{ kind: 'dms', base_url: dms.url() }],
    ...profile,
  });
  const appliance = await startAppliance({
    ...options,
    profiles: [{ name: 'default' }, ...(options.profiles ?? [])].map(withDestination),
    processorEnvironment: { TMPDIR: workDir ?? '', WORKERS: '1', ...options.processorEnvironment },
  });

  const call = async (send: Promise<TestAnswer>): Promise<Call> => {
    const began = performance.now();
    const answer = await send.catch(() => undefined);
    return { answer, ms: performance.now() - began };
  };
  return {
    appliance,
    dms,
    directories: [appliance.directory, temporary.path],
    scan: (body = {}, headers = {}) => call(appliance.scan(body, headers)),
    resume: (scanId, body = {}) => call(appliance.post(`/scans/${scanId}/resume`, body)),
    close: async () => {
      await appliance.close();
      await dms.stop();
      await temporary.remove();
    },
  };
}
