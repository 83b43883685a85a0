import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import type { Appliance } from '../support/appliance/appliance.ts';
import type { UploadRecord } from '../../simulators/sample-dms/sample.ts';
import {
  createVirtualScanner,
  writeSaneConfig,
  type VirtualScanner,
} from '../../simulators/virtual-scanner/virtual-scanner.ts';
import { startDeployedAppliance } from './service/deployed-service.ts';

/** `sparse` is gray, too: pages with little print, recognized in half the time. */
export type PageMode = 'gray' | 'colour' | 'lineart' | 'sparse';

export const DPI = 300;

/** Sheets per minute, or as fast as requested. */
export type Pace = 25 | 50 | 'unpaced';

const PACES: readonly Pace[] = [25, 50, 'unpaced'];

/** What a run can vary besides pace and mode. The naive script has only `plain`. */
const VARIANTS = {
  plain: {},
  no_ocr: { processing: { ocr: false } },
  per_page: { assembly: { page_grouping: 'per_page' } },
} as const;

export type Variant = keyof typeof VARIANTS;

/** An appliance, its service as deployed, with a virtual scanner per pace. */
export interface Workbench {
  readonly appliance: Appliance;
  readonly scanners: Readonly<Record<Pace, VirtualScanner>>;
  readonly deviceName: (pace: Pace) => string;
  readonly saneConfig: string;
  inDirectory<T>(name: string, use: (directory: string) => Promise<T>): Promise<T>;
  readonly partIds: () => Record<string, number>;
  readonly lastUpload: () => UploadRecord & { readonly ended_ms: number };
  close(): Promise<void>;
}

/** The log level of a deployment. `trace`, as in tests, logs too much for a benchmark. */
const LOGGED = { LOG_LEVEL: 'info' };

export async function openWorkbench(): Promise<Workbench> {
  const appliance = await startDeployedAppliance({
    profiles: allProfiles(),
    serviceEnvironment: LOGGED,
    runtimeEnvironment: LOGGED,
    processorEnvironment: LOGGED,
  });
  const scanners = {
    25: await createVirtualScanner({ pagesPerMinute: 25 }),
    50: await createVirtualScanner({ pagesPerMinute: 50 }),
    unpaced: appliance.scanner,
  };
  const saneConfig = await writeSaneConfig(
    path.join(appliance.directory, 'sane'),
    PACES.map((pace) => ({ name: String(pace), url: scanners[pace].url })),
  );
  return {
    appliance,
    scanners,
    deviceName,
    saneConfig,
    inDirectory: async (name, use) => {
      const directory = path.join(appliance.directory, name);
      await mkdir(directory);
      try {
        return await use(directory);
      } finally {
        await rm(directory, { recursive: true });
      }
    },
    partIds: () => ({
      service: appliance.service.pid(),
      'scanner runtime': appliance.runtime.pid(),
      processor: appliance.processor.pid(),
    }),
    lastUpload: () => {
      const upload = appliance.dms.uploads().at(-1);
      if (upload?.ended_ms === undefined) throw new Error('no upload was answered');
      return { ...upload, ended_ms: upload.ended_ms };
    },
    close: async () => {
      await appliance.close();
      await Promise.all([scanners[25].close(), scanners[50].close()]);
    },
  };
}

export function profileName(pace: Pace, mode: PageMode, variant: Variant): string {
  return `${mode === 'colour' ? 'colour' : 'gray'}-${pace}-${variant}`;
}

function deviceName(pace: Pace): string {
  return `airscan:e${PACES.indexOf(pace)}:${pace}`;
}

function allProfiles(): (Record<string, unknown> & { name: string })[] {
  const modes = ['gray', 'colour'] as const;
  return PACES.flatMap((pace) =>
    modes.flatMap((mode) =>
      Object.entries(VARIANTS).map(([variant, settings]) => ({
        processing: { rotate_pages: false },
        ...settings,
        name: `${mode}-${pace}-${variant}`,
        device: deviceName(pace),
        source: 'ADF',
        mode: mode === 'gray' ? 'Gray' : 'Color',
        resolution: DPI,
        page_size: 'a4',
        max_pages: 1000,
        timeout_seconds: 1800,
      })),
    ),
  );
}
