import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  programEnvironment,
  startProgram,
  type RunningProgram,
} from '../../../../helpers/child-process.ts';
import { EVENT_FILE } from '../../../../service/archive/event-file.ts';
import { begun, ended, fed, page, STORED_ID, storeScan } from '../../../support/stored-scan.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import type { KilledEdits } from './killed-edits-process.ts';
import { createScanBench } from './scan-bench.ts';

interface Fixture {
  /** Begins to edit a held scan of two pages, in a process of its own. */
  readonly start: (kill: Pick<KilledEdits, 'answered' | 'moment'>) => RunningProgram;
  /** Edits that are on disk whole. */
  readonly written: () => Promise<number>;
  /** Files the scan, and gives the pages of its document. */
  readonly file: () => Promise<readonly number[] | undefined>;
  close(): Promise<void>;
}

const PROGRAM = path.join(import.meta.dirname, 'killed-edits-process.ts');

/** Starting Node on a busy machine, and some edits. */
const LIFETIME_MS = 120_000;

const test = withFixture<Fixture>(suite('edits that are killed'), async () => {
  const bench = await createScanBench();
  const { root, dms } = bench;
  const destinations = [{ kind: 'dms', base_url: dms.url }];
  await storeScan(root, [
    begun({ destinations, paths: { output_dir: root } }, { hold: true }),
    page(1),
    page(2),
    fed(),
    ended({ state: 'held', error: null }),
  ]);
  return {
    start: (kill) => {
      const order: KilledEdits = { root, id: STORED_ID, ...kill };
      const args = [PROGRAM, JSON.stringify(order)];
      const program = { file: process.execPath, args, cwd: root, env: programEnvironment() };
      return startProgram(program, { timeoutMs: LIFETIME_MS });
    },
    written: async () => {
      const content = await readFile(bench.file(STORED_ID, EVENT_FILE), 'utf8');
      return content
        .split('\n')
        .slice(0, -1)
        .filter((line) => line.includes('"edited"')).length;
    },
    file: async () => {
      const { scans } = await bench.start();
      return (await scans.resume(STORED_ID)).documents[0]?.pages;
    },
    close: () => bench.close(),
  };
});

for (const answered of [1, 4]) {
  for (const moment of ['answered', 'writing'] as const) {
    test(`after ${answered}, ${moment}: none that was answered is lost, and the scan is filed as edited`, async ({
      start,
      written,
      file,
    }) => {
      const { signal, stderr } = await start({ answered, moment }).ended;
      assert.is(signal, 'SIGKILL', stderr);
      const count = await written();
      // Whether the line of the one under way was written whole is up to the kernel.
      assert.ok(count === answered || (moment === 'writing' && count === answered + 1), `${count}`);
      assert.equal(await file(), count % 2 === 0 ? [1, 2] : [2, 1]);
    });
  }
}

test.run();
