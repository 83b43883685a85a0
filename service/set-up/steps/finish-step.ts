import type { OwnFiles } from '../../settings/own-files.ts';
import type { SettingsStore } from '../../settings/settings-store.ts';
import { storing } from './refusals.ts';

/**
 * Records when the set-up was finished, if not yet recorded. Returns that time. Throws Failure
 * `insufficient_storage`.
 */
export type FinishStep = () => Promise<string>;

export interface FinishStepOptions {
  readonly files: OwnFiles;
  readonly settings: Pick<SettingsStore, 'change' | 'current'>;
  readonly now?: () => Date;
}

export function createFinishStep({
  files,
  settings,
  now = () => new Date(),
}: FinishStepOptions): FinishStep {
  return async () => {
    const finished_at = settings.current().finished_at ?? now().toISOString();
    if (settings.current().finished_at === undefined) {
      await storing(files, () => settings.change({ finished_at }));
    }
    return finished_at;
  };
}
