import { once } from 'node:events';
import { truncate } from 'node:fs/promises';
import type { Fault } from '../../../../simulators/sample-dms/faults.ts';
import { assert, withFixture, within } from '../../../support/suite.ts';
import { PATIENT_TIMEOUTS_MS } from '../../../support/patient-timeouts.ts';
import { createBench, errorOf, SHORT_TIMEOUTS_MS, timedOut } from './delivery-bench.ts';

const test = withFixture('uploads whose outcome is unknown', () => createBench());

/** More than the buffers of both ends of a loopback connection hold, so that an upload can be caught half-way. */
const LARGE_BYTES = 30_000_000;

const HTML = 'text/html';
const UNKNOWN = ' The document may have been accepted: search for it before sending it again.';

const ANSWERS: readonly (readonly [string, Fault, string])[] = [
  [
    'a 200 with a page',
    { kind: 'answer', status: 200, content_type: HTML, body: '<title>Sign in</title>' },
    'answered 200 without a task id (an HTML page: Sign in). Check base_url.',
  ],
  [
    'a 200 with nothing',
    { kind: 'answer', status: 200 },
    'answered 200 without a task id (nothing). Check base_url.',
  ],
  [
    'the answer of Paperless-ngx before 1.11.3',
    { kind: 'answer', status: 200, body: '"OK"' },
    'answered 200 without a task id (OK). Check base_url.',
  ],
  [
    'a 200 with other JSON',
    { kind: 'answer', status: 200, body: '{"task_id":"00000000-0000-4000-8000-000000000000"}' },
    'answered 200 without a task id (task_id: 00000000-0000-4000-8000-000000000000).',
  ],
  [
    'a broker that is down',
    { kind: 'answer', status: 500, content_type: HTML, body: '<h1>Server Error (500)</h1>' },
    'Paperless-ngx failed (500 Internal Server Error). Check its log, its disk, and whether its broker (Redis) is running.',
  ],
  [
    'a 500 that is not worded by Django',
    { kind: 'answer', status: 500, body: '{"detail":"database is locked"}' },
    'Paperless-ngx failed (500 database is locked). Check its log.',
  ],
  [
    'a 303, which may follow a request that was carried out',
    { kind: 'answer', status: 303, headers: { location: '/dashboard' } },
    'did not answer as Paperless-ngx does (303 See Other). Check base_url and the reverse proxy.',
  ],
  ['a 300', { kind: 'answer', status: 300 }, 'did not answer as Paperless-ngx does (300'],
  ['a 600', { kind: 'answer', status: 600 }, 'Paperless-ngx failed (600 unknown status).'],
  [
    'a proxy without its server',
    { kind: 'answer', status: 502, content_type: HTML, body: '<title>502</title>' },
    'The reverse proxy got no answer from Paperless-ngx (502 Bad Gateway). Check that Paperless-ngx is running.',
  ],
  [
    'a proxy that gave up waiting, after the document was stored',
    { kind: 'answer', status: 504, content_type: HTML, store: true },
    'The reverse proxy got no answer from Paperless-ngx (504 Gateway Timeout). Check that Paperless-ngx is running.',
  ],
  [
    'any other 5xx',
    { kind: 'answer', status: 507 },
    'Paperless-ngx failed (507 Insufficient Storage). Check its log.',
  ],
  [
    'an answer cut off half-way',
    { kind: 'reset', when: 'mid_answer', store: true },
    'answered 200 without a task id ("',
  ],
  [
    'a connection lost between document and answer',
    { kind: 'reset', when: 'after_body', store: true },
    'closed the connection without an answer (ECONNRESET).',
  ],
  [
    'a system that never answers',
    { kind: 'hang', when: 'after_body', store: true },
    'received the document and did not answer within 0.5 s.',
  ],
];

for (const [title, fault, expected] of ANSWERS) {
  test(`after ${title}, nobody sends the document again`, async ({ dms, deliver }) => {
    dms.setFault(fault);
    const timeouts = fault.kind === 'hang' ? SHORT_TIMEOUTS_MS : PATIENT_TIMEOUTS_MS;
    const delivery = await deliver({ timeouts });
    const error = errorOf(delivery);
    assert.is(delivery.outcome, 'unknown');
    assert.ok(error.includes(expected) && error.endsWith(UNKNOWN), error);
    assert.is(dms.uploads().length, 1);
    await dms.idle();
    const stored = 'store' in fault && (fault.store ?? false);
    assert.is(dms.documents().length, stored ? 1 : 0);
  });
}

test('a refusal with an endless page is still a refusal', async ({ dms, deliver }) => {
  dms.setFault({ kind: 'endless_answer', status: 404 });
  assert.is((await deliver()).outcome, 'refused');
});

test('a connection reset in the middle of a document', async ({ dms, deliver, document }) => {
  dms.setFault({ kind: 'reset', when: 'mid_body' });
  const delivery = await deliver({ document: await document('large.pdf', LARGE_BYTES) });
  assert.is(delivery.outcome, 'unknown');
  const causes =
    / closed the connection during the upload \(\w+\)\. Check the body limit of the reverse proxy\. If nothing was ever delivered there, check whether base_url /;
  assert.match(errorOf(delivery), causes);
  assert.is(dms.documents().length, 0);
});

test('a system that stops reading in between', async ({ dms, deliver, document }) => {
  dms.setFault({ kind: 'hang', when: 'before_body' });
  const delivery = await deliver({
    document: await document('large.pdf', LARGE_BYTES),
    timeouts: { ...PATIENT_TIMEOUTS_MS, socket: 500 },
  });
  assert.is(delivery.outcome, 'unknown');
  assert.match(errorOf(delivery), /^The upload to .* did not move for 0.5 s\./);
});

test('an early refusal is heard, the rest not sent', async ({ dms, deliver, document }) => {
  dms.setFault({ kind: 'answer', status: 413, content_type: HTML, early: true });
  const delivery = await deliver({ document: await document('large.pdf', LARGE_BYTES) });
  assert.is(
    errorOf(delivery),
    'The document has 30.0 MB, which is too large for the reverse proxy (413 Payload Too Large). Raise its body limit.',
  );
  assert.is(delivery.outcome, 'refused');
});

test('a document changed meanwhile is not passed off', async ({ dms, deliver, document }) => {
  const file = await document('large.pdf', LARGE_BYTES);
  dms.events.once('upload_started', () => void truncate(file.path, 1000));
  const delivery = await deliver({ document: file });
  assert.is(delivery.outcome, 'unknown');
  assert.match(errorOf(delivery), /^The document could not be read while it was uploaded\./);
  await dms.idle();
  assert.is(dms.documents().length, 0);
});

test('a deadline that passed before leaves it unsent', async ({ dms, deliver }) => {
  const delivery = await deliver({ signal: AbortSignal.abort() });
  assert.equal(delivery, {
    entry: { status: 'failed', error: 'The deadline passed before the upload began.' },
    outcome: 'refused',
  });
  assert.is(dms.uploads().length, 0);
});

for (const when of ['before_body', 'after_body'] as const) {
  test(`a deadline that passes with the system hanging ${when.replace('_', ' ')} ends the upload at once`, async ({
    dms,
    deliver,
    document,
  }) => {
    dms.setFault({ kind: 'hang', when });
    const deadline = new AbortController();
    const reached = when === 'before_body' ? 'upload_started' : 'body_received';
    dms.events.once(reached, () => deadline.abort());
    const ended = once(dms.events, 'upload_ended', { signal: AbortSignal.timeout(50_000) });
    const delivered = deliver({
      document: await document('large.pdf', LARGE_BYTES),
      signal: deadline.signal,
    });
    const delivery = await within(50_000, delivered);
    // The connection is closed as well; a system that does not read cannot notice.
    if (when === 'after_body') await ended;
    else ended.catch(() => {});
    assert.equal(delivery, {
      entry: { status: 'failed', error: `The deadline passed during the upload.${UNKNOWN}` },
      outcome: 'unknown',
    });
  });
}

test('a deadline that passes while a page is read for the task id', async ({ dms, deliver }) => {
  const { signal, pass } = await timedOut();
  // Half a minute for all of it.
  dms.setFault({ kind: 'slow_answer', byte_ms: 1000 });
  dms.events.once('body_received', () => void setTimeout(pass, 200));
  const delivery = await deliver({ signal });
  assert.match(errorOf(delivery), /^The deadline passed during the upload\./);
  assert.is(delivery.outcome, 'unknown');
});
