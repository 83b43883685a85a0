import type { ScanResult } from '../../../../service/archive/scan-view.ts';
import type { ScanCall } from '../../../../service/scan/scan.ts';
import { RESULT } from '../../../contract/samples.ts';
import type { TestAnswer } from '../../../support/send-to.ts';
import { startTestApp, type TestAppOptions } from '../../../support/test-app.ts';
import { testProfile } from '../../../support/test-profile.ts';
import { assert, withFixture } from '../../../support/suite.ts';

const test = withFixture('POST /scan', async () => {
  const calls: ScanCall[] = [];
  const bench = { outcome: (): Promise<ScanResult> => Promise.resolve(RESULT) };
  const scan = (call: ScanCall): Promise<ScanResult> => {
    calls.push(call);
    return bench.outcome();
  };
  const profiles = [testProfile({ name: 'invoices' })];
  let app = await startTestApp({ profiles, scan });
  return Object.assign(bench, {
    calls,
    /** Begins anew with other profiles. */
    restart: async (options: TestAppOptions) => {
      await app.close();
      app = await startTestApp({ scan, ...options });
    },
    post: (body: string, headers?: Record<string, string>): Promise<TestAnswer> => {
      const type = { 'Content-Type': 'application/json' };
      return app.send({ method: 'POST', path: '/scan', headers: headers ?? type, body });
    },
    close: () => app.close(),
  });
});

test('passes on profile and metadata, with a charset too', async ({ post, calls }) => {
  const type = { 'Content-Type': 'application/json; charset=utf-8' };
  assert.is((await post('{"profile":"invoices","tags":[3]}', type)).status, 200);
  assert.is(calls[0]?.profile.name, 'invoices');
  assert.equal(calls[0]?.metadata, { tags: [3] });
});

test('what is no JSON, or has wrong fields, is refused', async ({ post, calls }) => {
  const proto = '{"profile":"invoices","__proto__":{"x":1}}';
  for (const body of ['{', '[]', '"invoices"', 'null', 'true', '{"colour":true}', proto]) {
    const { status, json, text } = await post(body);
    assert.equal([status, json?.['error']], [400, 'invalid_body'], `${body}: ${text}`);
  }
  assert.equal(calls, []);
});

test('a type that a web page can send unasked is refused', async ({ post, calls }) => {
  for (const type of [
    '',
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/csp-report',
    'application/vnd.api+json',
    'application/json-patch+json',
  ]) {
    const { status, json } = await post(
      '{"profile":"invoices"}',
      type ? { 'Content-Type': type } : {},
    );
    assert.equal([status, json?.['error']], [415, 'unsupported_media_type'], type);
  }
  assert.equal(calls, []);
});

test('a key that no header should carry is refused', async ({ post, calls }) => {
  for (const key of ['x'.repeat(256), 'two words']) {
    const headers = { 'Content-Type': 'application/json', 'Idempotency-Key': key };
    const { status, json } = await post('{"profile":"invoices"}', headers);
    assert.equal([status, json?.['error']], [400, 'invalid_parameter']);
  }
  assert.equal(calls, []);
});

test('a profile that is not there is answered with those that are', async ({ post }) => {
  const { status, json } = await post('{"profile":"photos"}');
  assert.equal([status, json?.['error']], [404, 'profile_not_found']);
  assert.match(String(json?.['message']), /Use one of: invoices\.$/);
});

test('the profile may be left out where it is clear', async ({ post, calls, restart }) => {
  const refused = await post('{}');
  assert.is(refused.status, 400);
  assert.match(String(refused.json?.['message']), /names no profile.*invoices/);
  await restart({ profiles: [testProfile({ name: 'default' })] });
  for (const body of ['{}', '']) assert.is((await post(body)).status, 200);
  assert.equal(
    calls.map(({ profile }) => profile.name),
    ['default', 'default'],
  );
  const problem = { file: 'default.yaml', field: 'mode', message: '"mode" is wrong.' };
  await restart({ problems: [{ ...problem, profile: 'default' }] });
  const broken = await post('{}');
  assert.is(broken.status, 404);
  assert.equal(broken.json?.['problems'], [problem]);
  await restart({});
  assert.match((await post('{"profile":"a"}')).text, /There is no profile .*No profile is loaded/);
  assert.is((await post('{}')).json?.['error'], 'no_profiles_loaded');
});
