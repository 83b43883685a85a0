import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { Failure } from '../../../../helpers/failure.ts';
import type { ScanCall } from '../../../../service/scan/scan.ts';
import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import {
  startTestApp,
  testProfile,
  type TestAnswer,
  type TestApp,
} from '../../../support/test-app.ts';

interface Context {
  app: TestApp;
  calls: ScanCall[];
  outcome: () => Promise<ScanResult>;
}

const test = suite<Context>('POST /scan');

const RESULT: ScanResult = {
  scan_id: '20261121T063000Z-8f3a1c',
  profile: 'invoices',
  state: 'finished',
  page_count: 1,
  pages: ['page-0001.tif'],
  duration_ms: 10,
  timings_ms: { scan: 5, process: 3, deliver: 2 },
  warnings: [],
  warning_details: [],
  dropped_pages: [],
  documents: [],
};

test.before(async (context) => {
  context.app = await startTestApp({
    profiles: [testProfile({ name: 'invoices' })],
    scan: (call) => {
      context.calls.push(call);
      return context.outcome();
    },
  });
});

test.before.each((context) => {
  context.calls = [];
  context.outcome = () => Promise.resolve(RESULT);
});

test.after(({ app }) => app.close());

const JSON_TYPE = { 'Content-Type': 'application/json' };

function post(
  app: TestApp,
  body: string,
  headers: Record<string, string> = JSON_TYPE,
): Promise<TestAnswer> {
  return app.send({ method: 'POST', path: '/scan', headers, body });
}

test('takes metadata with the request', async ({ app, calls }) => {
  const metadata = {
    title: 'Invoice 4711',
    created: '2026-11-21',
    tags: [3, 4],
    correspondent: 1,
    document_type: 2,
    storage_path: 1,
    archive_serial_number: 17,
    custom_fields: { 1: 'R-1', 2: 'EUR42.00' },
  };
  const answer = await post(app, JSON.stringify({ profile: 'invoices', ...metadata }));
  assert.is(answer.status, 200);
  assert.equal(calls[0]?.metadata, metadata);
});

test('a type with a charset is the same type', async ({ app }) => {
  const headers = { 'Content-Type': 'application/json; charset=utf-8' };
  assert.is((await post(app, '{"profile":"invoices"}', headers)).status, 200);
});

const INVALID: [string, string, string][] = [
  ['not JSON', '{', ''],
  ['an array', '[]', '(body)'],
  ['a string', '"invoices"', ''],
  ['an unknown field', '{"profile":"invoices","colour":true}', 'colour'],
  [
    'a destination, which a request can never set',
    '{"profile":"invoices","destinations":[]}',
    'destinations',
  ],
  ['a path, which a request can never set', '{"profile":"invoices","paths":{}}', 'paths'],
  [
    'a timeout, which a request can never set',
    '{"profile":"invoices","timeout_seconds":1}',
    'timeout_seconds',
  ],
  ['hold as text', '{"profile":"invoices","hold":"yes"}', 'hold'],
  ['a side other than the backs', '{"continue_scan":"a","side":"fronts"}', 'side'],
  ['backs of a scan that is not named', '{"profile":"invoices","side":"backs"}', '(body)'],
  ['a title for more paper', '{"continue_scan":"a","title":"Tea"}', '(body)'],
  ['a profile that is no string', '{"profile":5}', 'profile'],
  ['a date that does not exist', '{"profile":"invoices","created":"2026-02-30"}', 'created'],
  ['a prototype key', '{"profile":"invoices","__proto__":{"x":1}}', ''],
];

for (const [what, body, field] of INVALID) {
  test(`${what} is refused, and no paper moves`, async ({ app, calls }) => {
    const answer = await post(app, body);
    assert.is(answer.status, 400, answer.text);
    assert.is(answer.json?.['error'], 'invalid_body');
    const fields = (answer.json?.['fields'] ?? []) as { field: string; expected: string }[];
    if (field !== '') {
      assert.ok(
        fields.some((wrong) => wrong.field === field),
        answer.text,
      );
    }
    assert.equal(calls, []);
  });
}

test('every wrong field is named at once', async ({ app }) => {
  const answer = await post(app, '{"profile":5,"tags":1,"x":1}');
  const fields = answer.json?.['fields'] as { field: string }[];
  assert.equal(
    fields.map(({ field }) => field),
    ['profile', 'tags', 'x'],
  );
});

for (const type of [
  '',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/csp-report',
  'application/vnd.api+json',
  'application/json-patch+json',
]) {
  test(`the type "${type}", which a web page can send unasked, is refused`, async ({
    app,
    calls,
  }) => {
    const answer = await post(
      app,
      '{"profile":"invoices"}',
      type === '' ? {} : { 'Content-Type': type },
    );
    assert.is(answer.status, 415);
    assert.is(answer.json?.['error'], 'unsupported_media_type');
    assert.equal(calls, []);
  });
}

test('a profile that is not there is answered with those that are', async ({ app }) => {
  const answer = await post(app, '{"profile":"invoice"}');
  assert.is(answer.status, 404);
  assert.is(answer.json?.['error'], 'profile_not_found');
  assert.match(String(answer.json?.['message']), /invoices/);
});

test('the profile may be left out only where one named default exists', async ({ app }) => {
  const refused = await post(app, '{}');
  assert.is(refused.status, 400);
  assert.match(String(refused.json?.['message']), /names no profile.*invoices/);

  const other = await startTestApp({
    profiles: [testProfile({ name: 'default' })],
    scan: (call) => Promise.resolve({ ...RESULT, profile: call.profile.name }),
  });
  assert.is((await post(other, '{}')).json?.['profile'], 'default');
  assert.is((await post(other, '')).json?.['profile'], 'default');
  await other.close();
});

test('where the file of the default profile is wrong, a scan is answered with what is wrong', async () => {
  const problem = { file: 'default.yaml', field: 'mode', message: '"mode" is wrong.' };
  const app = await startTestApp({ problems: [{ ...problem, profile: 'default' }] });
  const answer = await post(app, '{}');
  assert.is(answer.status, 404);
  assert.equal(answer.json?.['problems'], [problem]);
  await app.close();
});

test('a failure is answered with its code, status, message and facts', async (context) => {
  context.outcome = () =>
    Promise.reject(new Failure('scanner_jammed', 'jam on page 3', { facts: { page_count: 2 } }));
  const answer = await post(context.app, '{"profile":"invoices"}');
  assert.is(answer.status, 502);
  assert.equal(answer.json, { page_count: 2, error: 'scanner_jammed', message: 'jam on page 3' });
});

test.run();
