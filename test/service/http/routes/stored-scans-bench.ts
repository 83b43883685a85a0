import path from 'node:path';
import * as assert from 'uvu/assert';
import { createScanArchive, type ScanArchive } from '../../../../service/archive/scan-archive.ts';
import { resultOf, type ScanResult } from '../../../../service/archive/scan-view.ts';
import type { Scans } from '../../../../service/scan/call/scans.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { ended, jammedScan, recordOf, storeScan } from '../../../support/stored-scan.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import {
  startTestApp,
  testProfile,
  type TestAnswer,
  type TestApp,
} from '../../../support/test-app.ts';
import { within } from '../../../support/within.ts';

/** Two roots, of which the second is not there, and one stored scan in the first. */
export interface StoredScansBench {
  readonly root: string;
  readonly other: string;
  readonly app: TestApp;
  /** The app's own. */
  readonly archive: ScanArchive;
  /** Every call of resume; each is answered with RESULT. */
  readonly resumed: Parameters<Scans['resume']>[];
  readonly get: (path: string) => Promise<TestAnswer>;
  close(): Promise<void>;
}

export const RESULT: ScanResult = resultOf(
  recordOf([...jammedScan(), ended({ state: 'finished', error: null })]),
);

export async function startStoredScansBench(): Promise<StoredScansBench> {
  const temporary = await temporaryDirectory();
  const root = path.join(temporary.path, 'scans');
  const other = path.join(temporary.path, 'other');
  await storeScan(root);
  const resumed: StoredScansBench['resumed'] = [];
  const archive = createScanArchive({
    roots: () => [root, other],
    listener: () => {},
    log: capturedLog().log,
  });
  const app = await startTestApp({
    archive,
    profiles: [testProfile({ name: 'corrected' })],
    resume: (...call) => {
      resumed.push(call);
      return Promise.resolve(RESULT);
    },
  });
  const get = (url: string): Promise<TestAnswer> =>
    within(60_000, app.send({ path: url }), `the answer of ${url.slice(0, 100)}`);
  const close = async (): Promise<void> => {
    await app.close();
    await archive.close();
    await temporary.remove();
  };
  return { root, other, app, archive, resumed, get, close };
}

/** Body of GET /scans, as far as tests look at it. */
export interface List {
  readonly scans: { readonly scan_id: string; readonly state: string }[];
  readonly next: string | null;
}

/** The body of an answer to GET /scans, which must be a good one. */
export function listOf({ status, json, text }: TestAnswer): List {
  assert.is(status, 200, text);
  return json as unknown as List;
}
