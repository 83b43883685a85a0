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

/** Time budget of every scan here: no case needs a tenth of it, a hang would be told by a 504. In seconds. */
export const SCAN_SECONDS = 40;

/** What every scan of the fault tests asks of the scanner: small pages. */
const SCANNING = {
  source: 'ADF',
  mode: 'Gray',
  resolution: 100,
  page_size: 'a6',
  timeout_seconds: SCAN_SECONDS,
};

/** What came of a call, and after how long. Without an answer the connection broke. */
export interface Call {
  readonly answer: TestAnswer | undefined;
  readonly ms: number;
}

/** As it is written into a profile's file. */
type Profile = ApplianceOptions['profiles'][number];

/** An appliance of which every part can be killed, the DMS too. */
export interface FaultBench {
  readonly appliance: Appliance;
  readonly dms: DmsPart;
  /** Directories that the native programs of this appliance work in, and no others do. */
  readonly directories: readonly string[];
  scan(body?: object, headers?: Record<string, string>): Promise<Call>;
  resume(scanId: string, body?: object): Promise<Call>;
  close(): Promise<void>;
}

/** Has the tests of a suite share one bench, which is closed after them. */
export function withFaultBench<Context extends { bench: FaultBench }>(
  test: Test<Context>,
  options: Partial<ApplianceOptions> = {},
): void {
  test.before(async (context) => {
    context.bench = await startFaultBench(options);
  });
  test.after(({ bench }) => bench.close());
}

/** Starts an appliance with a profile `default`, and those given, whose one destination is a DMS in a process of its own. */
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
