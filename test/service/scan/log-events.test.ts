import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../helpers/failure.ts';
import { logEvents } from '../../../service/scan/log-events.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { failure } from '../../support/rejection.ts';
import { feedPages } from '../../support/scan-parts.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { createScanBench, type ScanBench } from './call/scan-bench.ts';

const test = withFixture<ScanBench>(suite('scans in the log'), createScanBench);

test('each event is a line of its name with the id of the scan, and none has a title or a setting', async (bench) => {
  const { log, lines, text } = capturedLog();
  const { scans } = await bench.start({ feed: feedPages(1) }, { listener: logEvents(log) });
  const call = { ...bench.call(), metadata: { title: 'a private matter' } };
  const { scan_id } = await scans.scan(call);
  const names = lines().map(({ event }) => event);
  assert.equal(
    // A page may be recognised before the feeder has stopped.
    names.filter((name) => name !== 'scan_recognized'),
    [
      'scan_begun',
      'scan_page',
      'scan_fed',
      'scan_documents',
      'scan_assembled',
      'scan_upload_begun',
      'scan_upload_ended',
      'scan_ended',
    ],
  );
  assert.ok(names.includes('scan_recognized'));
  for (const line of lines()) assert.is(line['scan_id'], scan_id);
  const last = lines().at(-1);
  assert.is(last?.['state'], 'finished');
  assert.is(last?.['page_count'], 1);
  assert.not.match(text(), /private matter|base_url|token/);
});

test('what has a warning is one, and a resumed scan says where it goes on', async (bench) => {
  const { log, lines } = capturedLog();
  const facts = { page_count: 1, warnings: ['A sheet may be missing.'] };
  const jam = new Failure('scanner_jammed', 'Stuck.', { facts });
  const { scans } = await bench.start({ feed: feedPages(1, jam) }, { listener: logEvents(log) });
  const error = await failure('scanner_jammed', scans.scan(bench.call()));
  const fed = lines().find(({ event }) => event === 'scan_fed');
  assert.is(fed?.['level'], 'warn');
  assert.equal(fed?.['warnings'], ['A sheet may be missing.']);
  assert.is(lines().at(-1)?.['code'], 'scanner_jammed');
  await scans.resume(String(error.facts['scan_id']));
  const resumed = lines().find(({ event }) => event === 'scan_resumed');
  assert.is(resumed?.['stage'], 'process');
});

test.run();
