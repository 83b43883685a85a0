import { suite } from 'uvu';
import * as assert from 'uvu/assert';

import { DEFAULT_REDELIVERY } from '../../../service/scan/stages/deliver.ts';
import { STORED_ID } from '../../support/stored-scan.ts';
import type { TestAnswer } from '../../support/test-app.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { RESULT, startStoredScansBench } from './routes/stored-scans-bench.ts';

const test = withFixture(suite('what callers may ask of stored scans'), startStoredScansBench);

const fieldsOf = ({ json }: TestAnswer): { field: string }[] =>
  (json?.['fields'] ?? []) as { field: string }[];

for (const [query, field] of [
  ['limit=0', 'limit'],
  ['limit=101', 'limit'],
  ['limit=-1', 'limit'],
  ['limit=1.5', 'limit'],
  ['limit=x', 'limit'],
  ['limit=', 'limit'],
  ['limit=NaN', 'limit'],
  ['limit=1&limit=2', 'limit'],
  ['limit[]=1', 'limit[]'],
  ['before=x', 'before'],
  ['before=', 'before'],
  ['before=../x', 'before'],
  [`before=${STORED_ID}%00`, 'before'],
  [`before=${STORED_ID}&before=${STORED_ID}`, 'before'],
  ['colour=1', 'colour'],
  ['constructor=1', 'constructor'],
] as const) {
  test(`GET /scans?${query} is refused`, async ({ get }) => {
    const answer = await get(`/scans?${query}`);
    assert.is(answer.status, 400, answer.text);
    assert.is(answer.json?.['error'], 'invalid_parameter');
    assert.is(fieldsOf(answer)[0]?.field, field);
  });
}

const JSON_TYPE = { 'Content-Type': 'application/json' };

test('resume passes on what is to be sent again, and answers with the result', async ({
  app,
  resumed,
}) => {
  const url = `/scans/${STORED_ID}/resume`;
  for (const body of ['', '{}', '{"redeliver_failed":false}', '{"resend_unknown":true}']) {
    const answer = await app.send({ method: 'POST', path: url, headers: JSON_TYPE, body });
    assert.equal(answer.json, JSON.parse(JSON.stringify(RESULT)), answer.text);
  }
  assert.equal(
    resumed.map(([id, options]) => [
      id,
      options?.redelivery.redeliver_failed,
      options?.redelivery.resend_unknown,
    ]),
    [
      [STORED_ID, true, false],
      [STORED_ID, true, false],
      [STORED_ID, false, false],
      [STORED_ID, true, true],
    ],
  );
});

test('resume passes on metadata, and the profile of that name as it is now', async ({
  app,
  resumed,
}) => {
  const metadata = { title: 'Coffee', tags: [3], correspondent: 2 };
  const body = JSON.stringify({ ...metadata, profile: 'corrected', resend_unknown: true });
  const path = `/scans/${STORED_ID}/resume`;
  const answer = await app.send({ method: 'POST', path, headers: JSON_TYPE, body });
  assert.is(answer.status, 200, answer.text);
  const [, options] = resumed[0] ?? [];
  assert.equal(options?.metadata, metadata);
  assert.is(options?.profile?.name, 'corrected');
  assert.equal(options?.redelivery, { ...DEFAULT_REDELIVERY, resend_unknown: true });
});

for (const body of [
  '{"resend_unknown":"true"}',
  '{"resend_unknown":1}',
  '{"redeliver_failed":null}',
  '{"everything":true}',
  '{"__proto__":{"resend_unknown":true}}',
  '{"constructor":{}}',
  '{"profile":5}',
  '{"profile":null}',
  '{"title":5}',
  '{"tags":[""]}',
  '{"created":"tomorrow"}',
  '{"destinations":[]}',
  '{"timeout_seconds":1}',
  '[]',
  'null',
  'true',
  '{',
]) {
  test(`resume with ${body} is refused, and nothing is sent`, async ({ app, resumed }) => {
    const request = {
      method: 'POST',
      path: `/scans/${STORED_ID}/resume`,
      headers: JSON_TYPE,
      body,
    };
    const answer = await app.send(request);
    assert.is(answer.status, 400, answer.text);
    assert.is(answer.json?.['error'], 'invalid_body');
    assert.equal(resumed, []);
  });
}

test.run();
