import { readFileSync } from 'node:fs';
import path from 'node:path';
import { EVENT_FILE } from '../../service/archive/event-file.ts';
import { DEFAULT_REDELIVERY } from '../../service/archive/upload-decision.ts';
import { assert, withFixture } from '../support/suite.ts';
import { MOMENT_IN_WORDS, runUntilDeath, type Moment } from './storage-support/dying.ts';
import { interceptFileOperations } from './storage-support/file-operations.ts';
import { checkRecovery, finish, KEY, outcome } from './storage-support/invariants.ts';
import { createStorageBench, CROP, type Service } from './storage-support/storage-bench.ts';

/**
 * Simulated deaths are fast enough to cover every file operation. `kill-matrix-service.test.ts`
 * kills a real service in each phase.
 */
const test = withFixture('a service that dies at a file operation of a scan', () =>
  createStorageBench(),
);

const withFaults = await interceptFileOperations();

/** Fewer operations mean that interception is broken. Busy machines batch events: see power-cut. */
const FEWEST: Readonly<Record<Moment, number>> = { before: 100, half: 15, after: 100 };

const firstCall = (service: Service): Promise<unknown> => outcome(service.scan(KEY));

/**
 * Omits `after`: dying after an operation is the same as dying before the next one, except in a
 * power cut. See fault/power-cut.
 */
const DEATHS = ['before', 'half'] as const;

for (const moment of DEATHS) {
  test(`${MOMENT_IN_WORDS[moment]}: nothing is lost or duplicated`, async (bench) => {
    let at = 1;
    for (let died = true; died; at += 1) {
      const faulty = bench.newCase();
      died = await runUntilDeath({ withFaults, bench, faulty, at, moment, work: firstCall });
      await checkRecovery(bench, faulty, `died ${moment} operation ${at}`);
      faulty.remove();
    }
    assert.ok(at > FEWEST[moment], `only ${at} operations`);
  });
}

test('a second death during the resume: nothing is lost or duplicated', async (bench) => {
  let again = 0;
  for (let first = 12; first < 220; first += 18) {
    for (const second of [1, 7, 25, 60, 90]) {
      const faulty = bench.newCase();
      const dying = { withFaults, bench, faulty };
      await runUntilDeath({ ...dying, at: first, moment: 'after', work: firstCall });
      const work = (service: Service): Promise<void> => finish(service, 'again');
      if (await runUntilDeath({ ...dying, at: second, moment: 'before', work })) again += 1;
      await checkRecovery(bench, faulty, `died after ${first}, then before ${second}`);
      faulty.remove();
    }
  }
  assert.ok(again > 20, `only ${again} second deaths`);
});

/** Edits of a held scan: each moves the first page to the other end and crops it there. */
const MOVES = 3;
const FEWEST_OF_MOVES: Readonly<Record<Moment, number>> = { before: 20, half: 3, after: 20 };

for (const moment of DEATHS) {
  test(`${MOMENT_IN_WORDS[moment]} of editing a held scan: acknowledged edits are filed`, async (bench) => {
    let at = 1;
    for (let died = true; died; at += 1) {
      const faulty = bench.newCase();
      const id = await faulty.start().hold();
      let answered = 0;
      const work = async (service: Service): Promise<void> => {
        for (; answered < MOVES; answered += 1) {
          await service.move(id, answered % 2 === 0 ? 'end' : 'beginning');
        }
      };
      died = await runUntilDeath({ withFaults, bench, faulty, at, moment, work });
      const written = editsOf(path.join(faulty.root, id));
      const what = `died ${moment} operation ${at}, ${answered} answered, ${written} written`;
      // The edit in progress may be completely written.
      assert.ok(written === answered || (died && written === answered + 1), what);
      const service = faulty.start();
      const { documents } = await service.resume(id, DEFAULT_REDELIVERY);
      const filed = documents.flatMap(({ pages }) => pages);
      const { record } = await service.archive.find(id);
      const cut = record.pages.map(({ recognized }) => recognized?.options?.cut);
      const isMoved = written % 2 === 1;
      assert.equal([filed, cut[1]], isMoved ? [[2, 1], CROP] : [[1, 2], undefined], what);
      faulty.remove();
    }
    assert.ok(at > FEWEST_OF_MOVES[moment], `only ${at} operations`);
  });
}

function editsOf(directory: string): number {
  const lines = readFileSync(path.join(directory, EVENT_FILE), 'utf8').split('\n').slice(0, -1);
  return lines.filter((line) => line.includes('"type":"edited"')).length;
}
