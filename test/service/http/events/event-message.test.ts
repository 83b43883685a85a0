import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import { stamped } from '../../../../service/archive/event-file.ts';
import type { NewScanEvent } from '../../../../service/archive/scan-event.ts';
import {
  resultMessage,
  scanEventMessage,
  snapshotMessage,
} from '../../../../service/http/events/event-message.ts';
import { detailsOf } from '../../../../service/archive/scan-details.ts';
import { createEventParser, type StreamEvent } from '../../../../service/page/event-stream.js';
import { begun, jammedScan, page, recordOf } from '../../../support/stored-scan.ts';

const test = suite('messages of an event stream');

/** What must not reach a watcher. */
const SECRETS = {
  destinations: [{ kind: 'dms', base_url: 'http://inside:8000', token_secret: 'the_token' }],
  paths: { output_dir: '/private/scans' },
};

function parsed(message: Buffer): StreamEvent {
  const events: StreamEvent[] = [];
  createEventParser((event) => events.push(event))(message.toString());
  assert.is(events.length, 1);
  return events[0] ?? { id: '', event: '', data: '' };
}

function shown(event: NewScanEvent): { event: StreamEvent; data: Record<string, unknown> } {
  const message = scanEventMessage(stamped(event), recordOf([begun(SECRETS), page(1)]), {
    sequence: 7,
  });
  const sent = parsed(message);
  return { event: sent, data: JSON.parse(sent.data) as Record<string, unknown> };
}

test('an event has its number, its type, and its fields on one line', () => {
  const { event, data } = shown(page(2, { filename: 'page\n\r\u2028.tif' }));
  assert.is(event.id, '7');
  assert.is(event.event, 'page');
  const { at, view: _view, ...fields } = data;
  assert.match(String(at), /^\d{4}-/);
  const { type: _, ...expected } = page(2, { filename: 'page\n\r\u2028.tif' });
  assert.equal(fields, expected);
});

test('the beginning says what a watcher needs, and nothing about settings, paths or the request', () => {
  for (const event of [
    begun(SECRETS, { request: { title: 'private' } }),
    {
      type: 'resumed',
      stage: 'process',
      lost_pages: [],
      warnings: [],
      settings: recordOf([begun(SECRETS)]).settings,
      request: { title: 'private' },
    } satisfies NewScanEvent,
  ]) {
    const { event: sent, data } = shown(event);
    assert.not.match(sent.data, /inside|the_token|private/);
    assert.is(data['profile'], 'default');
    assert.is(data['timeout_seconds'], 300);
    assert.is(data['page_count'], 1);
    assert.match(String(data['scan_id']), /^2026/);
  }
});

test('a snapshot is the body of GET /scans/{scan_id}, with the number of the last event', () => {
  const scan = detailsOf(recordOf(jammedScan()), false);
  const { id, event, data } = parsed(snapshotMessage(scan, 12));
  assert.equal([id, event], ['12', 'snapshot']);
  assert.equal(JSON.parse(data), JSON.parse(JSON.stringify(scan)));
});

test('a result is the status and the body of the plain answer, and has no number', () => {
  const { id, event, data } = parsed(
    resultMessage(new Failure('scanner_jammed', 'Paper is stuck.', { facts: { page_count: 2 } })),
  );
  assert.equal([id, event], ['', 'result']);
  assert.equal(JSON.parse(data), {
    status: 502,
    body: { error: 'scanner_jammed', message: 'Paper is stuck.', page_count: 2 },
  });
});

test.run();
