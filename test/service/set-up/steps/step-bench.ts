import path from 'node:path';
import { createOwnFiles, type OwnFiles } from '../../../../service/settings/own-files.ts';
import {
  createSettingsStore,
  type SettingsStore,
} from '../../../../service/settings/settings-store.ts';
import { capturedLog } from '../../../support/captured-log.ts';

const NEVER_MS = 3_600_000;

export interface StepBench {
  readonly files: OwnFiles;
  readonly settings: SettingsStore;
  /** How often a step loaded the profiles. */
  readonly reloads: () => number;
  readonly reload: () => Promise<void>;
  readonly close: () => Promise<void>;
}

export async function stepBench(directory: string): Promise<StepBench> {
  const files = createOwnFiles(path.join(directory, 'settings'));
  const { log } = capturedLog();
  const settings = await createSettingsStore({ files, log, lookEveryMs: NEVER_MS });
  let reloads = 0;
  return {
    files,
    settings,
    reloads: () => reloads,
    reload: async () => void (reloads += 1),
    close: async () => settings.close(),
  };
}
