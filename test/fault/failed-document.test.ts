import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { BLANK_PAGE, brokenAfter } from './support/aftermath.ts';
import { startFaultBench, type FaultBench } from './support/fault-bench.ts';
import { nativeProgramsLeft } from './support/native-programs.ts';

const test = suite<{ bench: FaultBench }>('one document of many that cannot be made');

/** A document each. */
const SHEETS = 6;

test.before(async (context) => {
  context.bench = await startFaultBench({
    profiles: [{ name: 'pages', assembly: { page_grouping: 'per_page' } }],
  });
});

test.after(({ bench }) => bench.close());

/** Events of a scan, as they are on disk. */
async function eventsOf({ appliance }: FaultBench, id: string): Promise<{ type: string }[]> {
  const text = await readFile(path.join(appliance.scansDir, id, 'events.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { type: string });
}

test('ends the scan with nothing under way, nothing delivered, and resume at once files all of them', async ({
  bench,
}) => {
  const { scanner, service, scansDir } = bench.appliance;
  scanner.load(Array.from({ length: SHEETS }, () => BLANK_PAGE));
  scanner.setFault({ kind: 'wait', atPage: SHEETS });
  const recognized = service.nextLine(/"event":"scan_recognized".*"page":3,/);
  const scan = bench.scan({ profile: 'pages' });
  const { scan_id: id } = JSON.parse(await recognized) as { scan_id: string };
  // The feeder still runs: no document is begun yet.
  const page = path.join(scansDir, id, 'recognized/page-0003.pdf');
  const content = await readFile(page);
  await writeFile(page, 'no PDF');
  scanner.setFault(null);
  const call = await scan;
  assert.is(call.answer?.status, 502, call.answer?.text);
  assert.is(call.answer?.json?.['error'], 'processing_failed');
  assert.equal(await bench.dms.documents(), []);
  const events = await eventsOf(bench, id);
  const files = await bench.appliance.files(id);
  assert.is(events.at(-1)?.type, 'ended');
  assert.equal(await nativeProgramsLeft(bench.directories), []);
  assert.equal(await eventsOf(bench, id), events, 'nothing is recorded after the end');
  assert.equal(await bench.appliance.files(id), files, 'no document comes after the end');

  await writeFile(page, content);
  assert.equal(await brokenAfter(bench, { id, call }), []);
  assert.is((await bench.dms.documents()).length, SHEETS + 1, 'all of them, and the next scan');
});

test.run();
