import { appendFile, readFile, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { EVENT_FILE } from '../../../service/archive/event-file.ts';
import { readSummary } from '../../../service/archive/scan-index.ts';
import { summaryOf, viewOf } from '../../../service/archive/scan-view.ts';
import { rejection } from '../../support/rejection.ts';
import {
  assembled,
  begun,
  ended,
  jammedScan,
  page,
  planned,
  recordOf,
  resumed,
  storeScan,
} from '../../support/stored-scan.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

interface Fixture {
  readonly root: string;
  close(): Promise<void>;
}

const test = withFixture<Fixture>(suite('what a list shows of a scan'), async () => {
  const temporary = await temporaryDirectory();
  return { root: temporary.path, close: () => temporary.remove() };
});

test('is the same from its last event as from all of them', async ({ root }) => {
  for (const events of [
    jammedScan(),
    [...jammedScan(), resumed({ stage: 'process' })],
    [
      begun(),
      page(1),
      page(2),
      planned([1, 2]),
      assembled(),
      ended({ state: 'finished', error: null, document_count: 1 }),
    ],
  ]) {
    const directory = await storeScan(root, events);
    assert.equal(await readSummary(directory), summaryOf(viewOf(recordOf(events), false)));
  }
});

test('does not know how many pages were kept of a scan of an earlier version', async ({ root }) => {
  const { kept_page_count: _, ...older } = ended();
  const directory = await storeScan(root, [...jammedScan().slice(0, -1), older]);
  assert.is((await readSummary(directory)).kept_page_count, null);
});

test('takes only the last event of a scan that has ended, whatever the scan holds', async ({
  root,
}) => {
  const directory = await storeScan(root);
  const file = path.join(directory, EVENT_FILE);
  const expected = await readSummary(directory);
  const last = (await readFile(file, 'utf8')).trimEnd().split('\n').at(-1) ?? '';
  // A sparse file larger than any that is read whole, in which no other event could be read.
  await truncate(file, 1_000_000_000);
  await appendFile(file, `\n${last}\n`);
  assert.equal(await readSummary(directory), expected);
});

test('is read from all events where the last one is torn, or is no end', async ({ root }) => {
  const directory = await storeScan(root);
  const file = path.join(directory, EVENT_FILE);
  await appendFile(file, '{"type":"resumed","at":');
  assert.is((await readSummary(directory)).state, 'failed');
  await writeFile(file, (await readFile(file, 'utf8')).split('\n').slice(0, 4).join('\n') + '\n');
  assert.is((await readSummary(directory)).state, 'interrupted');
});

test('takes no end whose line was not written to its own end', async ({ root }) => {
  const file = path.join(await storeScan(root), EVENT_FILE);
  await truncate(file, (await readFile(file)).length - 1);
  assert.is((await readSummary(path.dirname(file))).state, 'interrupted');
});

test('takes an end that is longer than what is read at first', async ({ root }) => {
  const message = 'é'.repeat(20_000);
  const error = { error: 'scanner_error', message } as const;
  const directory = await storeScan(root, [begun(), page(1), ended({ error })]);
  assert.equal((await readSummary(directory)).error, error);
});

for (const [what, line] of [
  ['damaged', '{"type":"ended","state":"finished"}'],
  ['no JSON', '"ended'],
]) {
  test(`is an error where the last event is ${what}`, async ({ root }) => {
    const directory = await storeScan(root);
    await appendFile(path.join(directory, EVENT_FILE), `${line}\n`);
    assert.match(String(await rejection(readSummary(directory))), /line 6/);
  });
}

test.run();
