import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createThrottle } from '../../../simulators/sample-dms/token.ts';
import { startDms, TOKEN } from './dms-client.ts';

const test = suite('sample DMS, the system and its log-in');

test('the log-in page answers without a token, and everything else leads there', async () => {
  const client = await startDms();
  const headers = { authorization: '' };
  assert.is((await client.request('/accounts/login/', { headers })).status, 200);
  const answers = await Promise.all(
    ['/', '/api/nothing/', '/api/'].map((path) => client.request(path, { headers })),
  );
  assert.equal(
    answers.map((answer) => [answer.status, answer.headers.get('location')]),
    [
      [302, '/accounts/login/?next=/'],
      [302, '/accounts/login/?next=/api/nothing/'],
      [302, 'schema/view/'],
    ],
  );
  assert.is((await client.request('/api/statistics/', { headers })).status, 401);
  await client.close();
});

const LOG_INS: readonly (readonly [string, number, unknown])[] = [
  ['username=admin&password=right', 200, { token: TOKEN }],
  ['{"username":"admin","password":"right"}', 200, { token: TOKEN }],
  [
    'username=admin&password=wrong',
    400,
    { non_field_errors: ['Unable to log in with provided credentials.'] },
  ],
  ['username=admin', 400, { password: ['This field is required.'] }],
  ['{', 400, { detail: 'JSON parse error - Expecting value: line 1 column 1 (char 0)' }],
];

for (const [body, status, expected] of LOG_INS) {
  test(`logging in with ${body} is a ${status}`, async () => {
    const client = await startDms({ login: { username: 'admin', password: 'right' } });
    const type = body.startsWith('{') ? 'application/json' : 'application/x-www-form-urlencoded';
    const headers = { authorization: '', 'content-type': type };
    const response = await client.request('/api/token/', { method: 'POST', headers, body });
    assert.equal([response.status, await response.json()], [status, expected]);
    await client.close();
  });
}

test('the sixth request for a token within a minute is a 429 on 3.0', async () => {
  const client = await startDms();
  const statuses: number[] = [];
  const ask = (): Promise<Response> => client.request('/api/token/', { method: 'POST' });
  for (let count = 0; count < 5; count += 1) statuses.push((await ask()).status);
  assert.equal(statuses, [400, 400, 400, 400, 400]);
  const last = await ask();
  assert.is(last.status, 429);
  const seconds = last.headers.get('retry-after');
  assert.equal(await last.json(), {
    detail: `Request was throttled. Expected available in ${seconds} seconds.`,
  });
  await client.close();
});

test('a throttle forgets what is a minute old', () => {
  const throttle = createThrottle(2);
  const waits = [0, 10_000, 10_001, 59_999, 60_000, 60_001].map(throttle);
  assert.equal(waits, [undefined, undefined, 50, 1, undefined, 10]);
});

test('a wrong token is refused where a log-in is asked for, too', async () => {
  const client = await startDms();
  const headers = { authorization: 'Token x' };
  const { status } = await client.request('/api/token/', { method: 'POST', headers });
  assert.is(status, 401);
  await client.close();
});

test('status is for administrators, statistics for everybody, settings by permission', async () => {
  const tokens = [{ token: 'user', permissions: ['view_uisettings'] }, { token: 'admin' }];
  const client = await startDms({ tokens, version: '2.20' });
  const ask = (path: string, token: string): Promise<Response> =>
    client.request(path, { headers: { authorization: `Token ${token}` } });
  const refused = await ask('/api/status/', 'user');
  assert.equal([refused.status, await refused.text()], [403, 'Insufficient permissions']);
  const status = Object(await (await ask('/api/status/', 'admin')).json());
  assert.equal([status.pngx_version, status.tasks.celery_status], ['2.20.15', 'OK']);
  assert.is((await ask('/api/statistics/', 'user')).status, 200);
  const settings = Object(await (await ask('/api/ui_settings/', 'user')).json());
  assert.equal([settings.user.username, settings.permissions], ['admin', ['view_uisettings']]);
  await client.close();
});

test.run();
