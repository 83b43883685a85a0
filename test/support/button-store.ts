import { createProfileStore, type ProfileStore } from '../../service/profiles/store.ts';
import { capturedLog } from './captured-log.ts';

/** The operator's profiles in `own` with the buttons in `savedDir`. Looks again only if asked to. */
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
