import { feedPages } from '../../../support/scan-parts.ts';
import type { TestAnswer } from '../../../support/send-to.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { startTestApp } from '../../../support/test-app.ts';
import { createScanBench } from '../../scan/call/scan-bench.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const RIGHT = { ...JSON_TYPE, Authorization: 'Bearer t' };

type Send = (body: string, headers?: object, page?: string) => Promise<TestAnswer>;

const test = withFixture('PATCH of a page with a crop', async () => {
  const bench = await createScanBench();
  const service = await bench.start({ feed: feedPages(2) });
  const { scan_id: id } = await service.scans.scan({ ...bench.call(), hold: true });
  const { archive, scans } = service;
  const app = await startTestApp({ ...scans, archive, token: 't' });
  const patch: Send = (body, headers = RIGHT, page = '1') => {
    const path = `/scans/${id}/pages/${page}`;
    return app.send({ method: 'PATCH', path, headers: { ...headers }, body });
  };
  return {
    patch,
    crops: async () => (await archive.find(id)).record.pages.map(({ crop = null }) => crop),
    close: async () => {
      await app.close();
      await bench.close();
    },
  };
});

const HALF = { x: 0, y: 0, width: 0.5, height: 0.5, angle: 0 };
const cropping = (change: object = {}): string => JSON.stringify({ crop: { ...HALF, ...change } });

const keys = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, index]));

const REFUSED: readonly (readonly [string, object, string, number, string, string?])[] = [
  [cropping(), JSON_TYPE, '1', 401, 'unauthorized'],
  [cropping(), { ...JSON_TYPE, Authorization: 'Bearer T' }, '1', 401, 'unauthorized'],
  [cropping(), { ...RIGHT, Origin: 'http://evil' }, '1', 403, 'forbidden_origin'],
  [cropping(), { ...RIGHT, 'Sec-Fetch-Site': 'cross-site' }, '1', 403, 'forbidden_origin'],
  [cropping(), { Authorization: 'Bearer t' }, '1', 415, 'unsupported_media_type'],
  [cropping(), { ...RIGHT, 'Content-Type': 'text/plain' }, '1', 415, 'unsupported_media_type'],
  [cropping({ name: 'x'.repeat(66_000) }), RIGHT, '1', 413, 'body_too_large'],
  [cropping({ name: 'x'.repeat(60_000) }), RIGHT, '1', 400, 'invalid_body'],
  ['{"crop":', RIGHT, '1', 400, 'invalid_body'],
  ['{"crop":{"x":NaN,"y":0,"width":1,"height":1}}', RIGHT, '1', 400, 'invalid_body'],
  ['{"crop":{"x":0,"y":0,"width":1,"height":1e400}}', RIGHT, '1', 400, 'invalid_body'],
  ['{"crop":{"__proto__":{"x":0,"y":0,"width":1,"height":1}}}', RIGHT, '1', 400, 'invalid_body'],
  ['{"crop":{"x":NaN}}', RIGHT, '1', 400, 'invalid_body'],
  ['{"crop":{"__proto__":{"x":0}}}', RIGHT, '1', 400, 'invalid_body'],
  [JSON.stringify({ crop: HALF, ...keys(180) }), RIGHT, '1', 400, 'invalid_body'],
  [cropping(keys(180)), RIGHT, '1', 400, 'invalid_body', 'crop.k0'],
  [JSON.stringify({ crop: keys(4000) }), RIGHT, '1', 400, 'invalid_body', 'crop.x'],
  [cropping({ x: 0.6 }), RIGHT, '1', 400, 'invalid_body', 'crop'],
  [cropping({ x: '0.1' }), RIGHT, '1', 400, 'invalid_body', 'crop.x'],
  [cropping({ angle: '45' }), RIGHT, '1', 400, 'invalid_body'],
  [cropping({ angle: -45.1 }), RIGHT, '1', 400, 'invalid_body'],
  [cropping({ width: 0.019_999_9 }), RIGHT, '1', 400, 'invalid_body'],
  [cropping({ x: 0.999_999, width: 0.02 }), RIGHT, '1', 400, 'invalid_body'],
  [cropping(), RIGHT, '3', 404, 'not_found'],
  [cropping(), RIGHT, '0', 404, 'not_found'],
  [cropping(), RIGHT, 'x', 404, 'not_found'],
  [cropping(), RIGHT, '01', 404, 'not_found'],
  [cropping(), RIGHT, '..%2F1', 404, 'not_found'],
];

for (const [body, headers, page, status, error, field] of REFUSED) {
  const shown = body.length > 80 ? `${body.slice(0, 80)}… (${body.length})` : body;
  test(`${page} ${shown} is refused with ${status} ${error}`, async ({ patch, crops }) => {
    const answer = await patch(body, headers, page);
    assert.equal([answer.status, answer.json?.['error']], [status, error], answer.text);
    const [first] = (answer.json?.['fields'] ?? []) as readonly { field: string }[];
    if (field !== undefined) assert.is(first?.field, field, answer.text);
    assert.ok(answer.text.length < 4000, 'an answer does not repeat a large body');
    assert.equal(await crops(), [null, null]);
  });
}

const TAKEN: readonly (readonly [string, object])[] = [
  ['{"x":-0,"y":-0.0,"width":0.02,"height":0.02}', { width: 0.02, height: 0.02 }],
  ['{"x":1e-320,"y":0,"width":0.5,"height":0.5,"angle":1e-320}', {}],
  ['{"x":0,"y":0,"width":0.5,"height":0.5,"angle":-1e-320}', {}],
  [
    '{"x":0.98,"y":0.98,"width":0.02,"height":0.02,"angle":45}',
    { x: 0.98, y: 0.98, width: 0.02, height: 0.02, angle: 45 },
  ],
  ['{"x":0,"y":0,"width":1,"height":1,"angle":-45}', { width: 1, height: 1, angle: -45 }],
];

for (const [crop, stored] of TAKEN) {
  test(`${crop} is accepted, rounded, and never minus zero`, async ({ patch, crops }) => {
    const answer = await patch(`{"crop":${crop}}`);
    assert.is(answer.status, 200, answer.text);
    assert.not.match(answer.text, /-0[,}]|e-/);
    assert.equal(await crops(), [{ ...HALF, ...stored }, null]);
  });
}

test('a crop refers to the turned page, and null removes it', async ({ patch, crops }) => {
  const crop = { x: 0.1 + 0.2, y: 0, width: 0.7, height: 1 };
  await patch(JSON.stringify({ turn: 90, crop }));
  assert.equal(await crops(), [{ x: 0, y: 0, width: 1, height: 0.7, angle: 0 }, null]);
  await patch('{"crop":null}');
  assert.equal(await crops(), [null, null]);
});

test('from several phones at once: each gets an answer, and the last crop counts', async ({
  patch,
  crops,
}) => {
  const widths = [0.1, 0.2, 0.3, 0.4];
  const answers = await Promise.all([
    ...widths.map((width) => patch(cropping({ width }))),
    patch('{"turn":90}', RIGHT, '2'),
  ]);
  assert.equal(
    answers.map(({ status }) => status),
    [200, 200, 200, 200, 200],
  );
  const [crop] = await crops();
  assert.ok(widths.includes(crop?.width ?? 0), JSON.stringify(crop));
});
