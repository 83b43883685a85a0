import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { SHIPPED } from '../../../service/profiles/load-directories.ts';
import type { SampleDmsOptions } from '../../../simulators/sample-dms/options.ts';
import { createSampleDms, type SampleDms } from '../../../simulators/sample-dms/sample-dms.ts';
import { isScanimageRunning } from '../processes.ts';
import { sendTo, type TestAnswer } from '../send-to.ts';
import { type Test, temporaryDirectory } from '../suite.ts';
import {
  createVirtualScanner,
  writeSaneConfig,
  type VirtualScanner,
  type VirtualScannerOptions,
} from '../../../simulators/virtual-scanner/virtual-scanner.ts';
import { createPart, type Part } from './part.ts';

/** The sample DMS's token: a sentinel that must not appear in logs, command lines or files. */
export const DMS_TOKEN = '5ec2e75e41f1e1de57ba11ad00000000deadbeef';

/** When the virtual scanner drops the job of a silent client. scanimage's pauses are shorter. */
const ORPHAN_AFTER_MS = 20_000;
/** Poll interval: a process that is not our child does not announce its end. */
const LOOK_EVERY_MS = 5;

/** The whole appliance on loopback. Only the scanner's mechanics and the DMS are simulated. */
export interface Appliance {
  readonly directory: string;
  readonly scansDir: string;
  readonly scanner: VirtualScanner;
  /** A second scanner, named Second; undefined unless requested. */
  readonly second: VirtualScanner | undefined;
  readonly dms: SampleDms;
  readonly service: Part;
  readonly runtime: Part;
  readonly processor: Part;
  /** Writes `<name>.yaml`, which the service soon loads. Delivers to the sample DMS by default. */
  writeProfile(fields: Record<string, unknown> & { name: string }): Promise<void>;
  scan(body: object, headers?: Record<string, string>): Promise<TestAnswer>;
  post(path: string, body: object, headers?: Record<string, string>): Promise<TestAnswer>;
  get(path: string): Promise<TestAnswer>;
  /** Cancels the job of a scanimage that was killed, and waits until the scanner has no job. */
  untilScannerFree(): Promise<void>;
  record(scanId: string): Promise<Record<string, unknown>>;
  /** Names in the scan root, or in one scan's directory, sorted. */
  files(scanId?: string): Promise<string[]>;
  close(): Promise<void>;
}

export interface ApplianceOptions {
  readonly scanner?: VirtualScannerOptions;
  readonly second?: VirtualScannerOptions;
  readonly dms?: Partial<SampleDmsOptions>;
  readonly hasShippedProfiles?: boolean;
  /**
   * Waits to be set up in the browser: there is no token, no DMS_URL, and the only profiles are the
   * shipped ones. The sample DMS is the bundled one.
   */
  readonly isNew?: boolean;
  readonly profiles: readonly (Record<string, unknown> & { name: string })[];
  /** Merged over the environment that the service needs. */
  readonly serviceEnvironment?: Record<string, string>;
  readonly runtimeEnvironment?: Record<string, string>;
  readonly processorEnvironment?: Record<string, string>;
  readonly serviceNodeOptions?: readonly string[];
  readonly processorNodeOptions?: readonly string[];
}

export function withAppliance(
  test: Test<{ appliance: Appliance }>,
  options: ApplianceOptions,
): void {
  test.before(async (context) => {
    context.appliance = await startAppliance(options);
  });
  test.after(({ appliance }) => appliance.close());
}

/** The caller must call `close`, which removes everything. */
export async function startAppliance(options: ApplianceOptions): Promise<Appliance> {
  const temporary = await temporaryDirectory();
  const directory = temporary.path;
  const inside = (name: string): string => path.join(directory, name);
  const scansDir = inside('scans');
  await Promise.all([mkdir(inside('profiles')), mkdir(inside('secrets'))]);
  const { isNew = false } = options;
  // An appliance without it might be one whose disk is not mounted.
  if (isNew) await mkdir(scansDir);
  if (!isNew) await writeFile(inside('secrets/dms_api_token'), `${DMS_TOKEN}\n`);

  const scanner = await createVirtualScanner({
    orphanAfterMs: ORPHAN_AFTER_MS,
    ...options.scanner,
  });
  const second = options.second && (await createVirtualScanner(options.second));
  const storeDir = inside('dms');
  const dms = await createSampleDms({ tokens: [DMS_TOKEN], storeDir, ...options.dms });
  const saneConfig = await writeSaneConfig(inside('sane'), [
    { name: 'Virtual', url: scanner.url },
    ...(second ? [{ name: 'Second', url: second.url }] : []),
  ]);

  const writeProfile: Appliance['writeProfile'] = async (fields) => {
    // Written as JSON, which is valid YAML.
    const profile = { destinations: [{ kind: 'dms', base_url: dms.url }], ...fields };
    await writeFile(inside(`profiles/${fields.name}.yaml`), JSON.stringify(profile));
  };
  for (const profile of options.profiles) await writeProfile(profile);

  const socket = inside('scanner.sock');
  const { serviceNodeOptions = [], processorNodeOptions = [] } = options;
  const runtimeEnvironment = (): Record<string, string> => ({
    SCANNER_SOCKET: socket,
    SANE_CONFIG_DIR: saneConfig,
    LOG_LEVEL: 'trace',
    ...options.runtimeEnvironment,
  });
  const processorEnvironment = (): Record<string, string> => ({
    PORT: String(processor.port()),
    LOG_LEVEL: 'trace',
    ...options.processorEnvironment,
  });
  const serviceEnvironment = (): Record<string, string> => ({
    PORT: '0',
    PROFILES_DIR: [
      inside('profiles'),
      ...(options.hasShippedProfiles || isNew ? [SHIPPED] : []),
    ].join(':'),
    ...(isNew ? { DMS_URL_DEFAULT: dms.url, BROWSER_SET_UP: 'on' } : { DMS_URL: dms.url }),
    OUTPUT_DIR: scansDir,
    SCANNER_SOCKET: socket,
    PROCESSOR_URL: `http://127.0.0.1:${processor.port()}`,
    SECRETS_DIR: inside('secrets'),
    // The same value as in the Docker image.
    UV_THREADPOOL_SIZE: '64',
    LOG_LEVEL: 'trace',
    ...options.serviceEnvironment,
  });
  const runtime = createPart('the scanner runtime', 'helpers/scanner/main.ts', runtimeEnvironment);
  const processor = createPart('the processor', 'helpers/processor/main.ts', processorEnvironment, {
    nodeOptions: processorNodeOptions,
  });
  const service = createPart('the service', 'service/main.ts', serviceEnvironment, {
    nodeOptions: serviceNodeOptions,
  });
  await Promise.all([runtime.start(), processor.start()]);
  await service.start();

  const send = (request: Parameters<typeof sendTo>[1]): Promise<TestAnswer> =>
    sendTo(service.port(), request);
  const post: Appliance['post'] = (url, body, headers) =>
    send({
      method: 'POST',
      path: url,
      headers: { 'Content-Type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
  return {
    directory,
    scansDir,
    scanner,
    second,
    dms,
    service,
    runtime,
    processor,
    writeProfile,
    get: (url) => send({ path: url }),
    post,
    scan: (body, headers) => post('/scan', body, headers),
    untilScannerFree: async () => {
      while (scanner.state.scanning && isScanimageRunning()) await wait(LOOK_EVERY_MS);
      if (scanner.state.scanning) scanner.dropJob();
    },
    record: async (scanId) =>
      JSON.parse(await readFile(path.join(scansDir, scanId, 'scan.json'), 'utf8')) as Record<
        string,
        unknown
      >,
    files: async (scanId = '') => (await readdir(path.join(scansDir, scanId))).toSorted(),
    close: async () => {
      await service.stop();
      await Promise.all([runtime.stop(), processor.stop()]);
      await Promise.all([scanner.close(), second?.close(), dms.close()]);
      await temporary.remove();
    },
  };
}
