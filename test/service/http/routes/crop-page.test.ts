import { STORED_ID } from '../../../support/stored-scan.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { startTestApp, type TestApp } from '../../../support/test-app.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const RIGHT = { ...JSON_TYPE, Authorization: 'Bearer t' };

interface Bench {
  readonly app: TestApp;
  /** Edits that reached the scans. */
  readonly asked: unknown[];
  close(): Promise<void>;
}

const test = withFixture<Bench>('cropping a page, over HTTP', async () => {
  const asked: unknown[] = [];
  const editPage = (...given: unknown[]): never => {
    asked.push(given);
    throw new Error('this call ends here');
  };
  const app = await startTestApp({ token: 't', editPage });
  return { app, asked, close: () => app.close() };
});

const PAGE = `/scans/${STORED_ID}/pages/3`;
const CROP = { x: 0.1, y: 0.05, width: 0.5, height: 0.4, angle: 1.5 };
const BODY = JSON.stringify({ crop: CROP });

const keys = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

/** Path, headers, body, and the answer with the wrong field. */
const REFUSED: readonly (readonly [string, object, string, number, string, string?])[] = [
  [PAGE, JSON_TYPE, BODY, 401, 'unauthorized'],
  [PAGE, { ...JSON_TYPE, Authorization: 'Bearer x' }, BODY, 401, 'unauthorized'],
  [PAGE, { ...RIGHT, Origin: 'http://evil' }, BODY, 403, 'forbidden_origin'],
  [PAGE, { ...RIGHT, 'Content-Type': 'text/plain' }, BODY, 415, 'unsupported_media_type'],
  [PAGE, RIGHT, JSON.stringify({ crop: CROP, x: 'x'.repeat(70_000) }), 413, 'body_too_large'],
  [PAGE, RIGHT, '{"crop":{"x":NaN}}', 400, 'invalid_body'],
  [PAGE, RIGHT, '{"crop":', 400, 'invalid_body'],
  [PAGE, RIGHT, JSON.stringify({ crop: CROP, ...keys(180) }), 400, 'invalid_body'],
  [
    PAGE,
    RIGHT,
    JSON.stringify({ crop: { ...CROP, ...keys(180) } }),
    400,
    'invalid_body',
    'crop.k0',
  ],
  [PAGE, RIGHT, JSON.stringify({ crop: keys(4000) }), 400, 'invalid_body', 'crop.x'],
  [PAGE, RIGHT, '{"crop":{"__proto__":{"x":0}}}', 400, 'invalid_body'],
  [PAGE, RIGHT, JSON.stringify({ crop: { ...CROP, x: 0.6 } }), 400, 'invalid_body', 'crop'],
  [PAGE, RIGHT, JSON.stringify({ crop: { ...CROP, x: '0.1' } }), 400, 'invalid_body', 'crop.x'],
  [`/scans/${STORED_ID}/pages/0`, RIGHT, BODY, 404, 'not_found'],
  [`/scans/${STORED_ID}/pages/x`, RIGHT, BODY, 404, 'not_found'],
];

for (const [path, headers, body, status, error, field] of REFUSED) {
  const shown = body.length > 100 ? `${body.slice(0, 100)}… (${body.length})` : body;
  test(`${shown} is refused with ${status} ${error}`, async ({ app, asked }) => {
    const answer = await app.send({ method: 'PATCH', path, headers: { ...headers }, body });
    assert.equal([answer.status, answer.json?.['error']], [status, error], answer.text);
    const [first] = (answer.json?.['fields'] ?? []) as readonly { field: string }[];
    if (field !== undefined) assert.is(first?.field, field, answer.text);
    assert.ok(answer.text.length < 4000, `${answer.text.length} characters`);
    assert.equal(asked, []);
  });
}

test('a crop reaches the scan rounded and with its angle, and so does none', async ({
  app,
  asked,
}) => {
  const crop = { x: 0.1 + 0.2, y: 0, width: 0.7, height: 1 };
  for (const body of [{ turn: 90, crop }, { crop: null }]) {
    const text = JSON.stringify(body);
    await app.send({ method: 'PATCH', path: PAGE, headers: RIGHT, body: text });
  }
  assert.equal(asked, [
    [STORED_ID, 3, { turn: 90, crop: { ...crop, x: 0.3, angle: 0 } }],
    [STORED_ID, 3, { crop: null }],
  ]);
});
