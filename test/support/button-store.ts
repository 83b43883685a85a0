import { createProfileStore, type ProfileStore } from '../../service/profiles/store.ts';
import { capturedLog } from './captured-log.ts';

/** Loads profiles from `own` and saved buttons from `savedDir`. Reloads only on request. */
export function createButtonStore(own: string, savedDir: string): Promise<ProfileStore> {
  return createProfileStore({
    directories: [own],
    savedDir,
    outputDir: '/scans',
    dmsUrl: () => undefined,
    installedLanguages: () => undefined,
    log: capturedLog().log,
    lookEveryMs: 3_600_000,
  });
}
