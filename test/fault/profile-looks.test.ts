import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createProfileStore, type ProfileStore } from '../../service/profiles/store.ts';
import { capturedLog } from '../support/captured-log.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { within } from '../support/within.ts';
import { interceptFileOperations } from './storage-support/file-operations.ts';
import { failing, type SystemErrorCode } from './storage-support/system-errors.ts';

const withFaults = await interceptFileOperations();

const test = suite('a disk that fails for a moment while profiles are looked at');

/** For looks that are 5 ms apart, on a machine however busy. */
const EVENT_MS = 30_000;

/** More than three looks and two loads have. */
const OPERATIONS = 30;

const CODES: readonly SystemErrorCode[] = ['EIO', 'EMFILE'];

const profile = (resolution: number): string =>
  `name: own\ndestinations: []\nresolution: ${resolution}\n`;

/** Resolves when the store has that profile; it may have to load more than once. */
async function untilLoaded(store: ProfileStore, resolution: number): Promise<void> {
  while (store.get('own')?.resolution !== resolution) {
    await within(EVENT_MS, once(store.events, 'loaded'), `the profile with ${resolution} dpi`);
  }
}

for (const code of CODES) {
  test(`${code} at any file operation: the profiles are there in the end, at a start and after a change`, async () => {
    for (let at = 1; at <= OPERATIONS; at += 1) {
      const directory = await temporaryDirectory();
      const file = path.join(directory.path, 'own.yaml');
      await writeFile(file, profile(150));
      let hits = 0;
      const around = failing(code, { at, lasting: false }, () => (hits += 1));
      const store = await withFaults(directory.path, around, () =>
        createProfileStore({
          directories: [directory.path],
          outputDir: '/scans',
          dmsUrl: undefined,
          installedLanguages: () => undefined,
          log: capturedLog().log,
          lookIntervalMs: 5,
        }),
      );
      try {
        await untilLoaded(store, 150);
        await writeFile(file, profile(600));
        await untilLoaded(store, 600);
      } finally {
        store.close();
        await directory.remove();
      }
      if (at <= 8) assert.is(hits, 1, `no operation ${at}`);
    }
  });
}

test.run();
