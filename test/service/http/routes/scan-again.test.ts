import { STORED_ID } from '../../../support/stored-scan.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { startTestApp, type TestApp } from '../../../support/test-app.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const NO_TYPE = { Authorization: 'Bearer t' };
const RIGHT = { ...JSON_TYPE, ...NO_TYPE };
const WRONG_TOKEN = { ...JSON_TYPE, Authorization: 'Bearer T' };
const TEXT = { ...RIGHT, 'Content-Type': 'text/plain' };
const GZIP = { ...RIGHT, 'Content-Encoding': 'gzip' };

interface Bench {
  readonly app: TestApp;
  readonly asked: unknown[];
  close(): Promise<void>;
}

const test = withFixture<Bench>('scanning a page again, over HTTP', async () => {
  const asked: unknown[] = [];
  const reached = (...given: unknown[]): never => {
    asked.push(given);
    throw new Error('this call ends here');
  };
  const app = await startTestApp({ token: 't', scanPageAgain: reached, restorePage: reached });
  return { app, asked, close: () => app.close() };
});

const AGAIN = { continue_scan: STORED_ID, replaces: 3 };
const PAGE = `/scans/${STORED_ID}/pages/3`;
const COLOR = { mode: 'Color' };
const LARGE = { ...AGAIN, settings: { source: 'x'.repeat(70_000) } };

const REFUSED: readonly (readonly [string, string, object, string, number, string])[] = [
  ['POST', '/scan', JSON_TYPE, JSON.stringify(AGAIN), 401, 'unauthorized'],
  ['PATCH', PAGE, JSON_TYPE, '{"restored":true}', 401, 'unauthorized'],
  ['POST', '/scan', WRONG_TOKEN, JSON.stringify(AGAIN), 401, 'unauthorized'],
  ['PATCH', PAGE, WRONG_TOKEN, '{"restored":true}', 401, 'unauthorized'],
  ['POST', '/scan', { ...RIGHT, Origin: 'http://evil' }, '{}', 403, 'forbidden_origin'],
  ['PATCH', PAGE, { ...RIGHT, Origin: 'http://evil' }, '{}', 403, 'forbidden_origin'],
  ['POST', '/scan', NO_TYPE, JSON.stringify(AGAIN), 415, 'unsupported_media_type'],
  ['POST', '/scan', TEXT, JSON.stringify(AGAIN), 415, 'unsupported_media_type'],
  ['POST', '/scan', GZIP, JSON.stringify(AGAIN), 415, 'unsupported_media_type'],
  ['PATCH', PAGE, NO_TYPE, '{"restored":true}', 415, 'unsupported_media_type'],
  ['PATCH', PAGE, TEXT, '{"restored":true}', 415, 'unsupported_media_type'],
  ['POST', '/scan', RIGHT, JSON.stringify(LARGE), 413, 'body_too_large'],
  ['PATCH', PAGE, RIGHT, JSON.stringify(LARGE), 413, 'body_too_large'],
  ['POST', '/scan', RIGHT, '{"continue_scan":', 400, 'invalid_body'],
  ['POST', '/scan', RIGHT, JSON.stringify({ replaces: 3 }), 400, 'invalid_body'],
  ['POST', '/scan', RIGHT, JSON.stringify({ ...AGAIN, side: 'backs' }), 400, 'invalid_body'],
  ['POST', '/scan', RIGHT, JSON.stringify({ ...AGAIN, replaces: -1 }), 400, 'invalid_body'],
  ['POST', '/scan', RIGHT, JSON.stringify({ ...AGAIN, replaces: '3' }), 400, 'invalid_body'],
  ['POST', '/scan', RIGHT, JSON.stringify({ ...AGAIN, replaces: 1.5 }), 400, 'invalid_body'],
  ['POST', '/scan', RIGHT, JSON.stringify({ ...AGAIN, replaces: null }), 400, 'invalid_body'],
  ['POST', '/scan', RIGHT, JSON.stringify({ ...AGAIN, hold: false }), 400, 'invalid_body'],
  ['POST', '/scan', RIGHT, JSON.stringify({ ...AGAIN, title: 'x' }), 400, 'invalid_body'],
  ['POST', '/scan', RIGHT, JSON.stringify({ ...AGAIN, settings: COLOR }), 400, 'invalid_body'],
  ['PATCH', PAGE, RIGHT, '{"restored":false}', 400, 'invalid_body'],
  ['PATCH', PAGE, RIGHT, '{"restored":null}', 400, 'invalid_body'],
  ['PATCH', PAGE, RIGHT, '{"restored":true,"turn":90}', 400, 'invalid_body'],
  ['PATCH', `/scans/${STORED_ID}/pages/0`, RIGHT, '{"restored":true}', 404, 'not_found'],
];

for (const [method, path, headers, body, status, error] of REFUSED) {
  const shown = body.length > 100 ? `${body.slice(0, 100)}…` : body;
  test(`${method} ${shown} is refused with ${status} ${error}`, async ({ app, asked }) => {
    const answer = await app.send({ method, path, headers: { ...headers }, body });
    assert.equal([answer.status, answer.json?.['error']], [status, error], answer.text);
    assert.equal(asked, []);
  });
}

test('the page and its settings reach the scan, without unneeded fields', async ({
  app,
  asked,
}) => {
  const settings = { source: 'Flatbed', resolution: 600 };
  const body = JSON.stringify({ ...AGAIN, hold: true, settings });
  await app.send({ method: 'POST', path: '/scan', headers: RIGHT, body });
  await app.send({ method: 'PATCH', path: PAGE, headers: RIGHT, body: '{"restored":true}' });
  const [scanned, restored] = asked as unknown[][];
  assert.equal(scanned?.slice(0, 2), [STORED_ID, { replaces: 3, settings }]);
  assert.equal(restored, [STORED_ID, 3]);
});
