import { heldFeed, feedPages, type Feed } from '../../../support/scan-parts.ts';
import type { TestAnswer } from '../../../support/send-to.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { startTestApp } from '../../../support/test-app.ts';
import { createScanBench } from '../../scan/call/scan-bench.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const RIGHT = { ...JSON_TYPE, Authorization: 'Bearer t' };

interface Bench {
  /** Asks for the front of a card, or for what `body` says. */
  readonly post: (body?: string, headers?: object) => Promise<TestAnswer>;
  /** The next call feeds with this instead of one page. */
  readonly feedNext: (feed: Feed) => void;
  readonly fed: () => number;
  readonly states: () => Promise<unknown[]>;
  close(): Promise<void>;
}

const test = withFixture<Bench>('a card from the glass, over HTTP', async () => {
  const bench = await createScanBench();
  const profile = bench.profile({ source: 'Flatbed', assembly: { page_grouping: 'card' } });
  let next: Feed | undefined;
  const feed: Feed = (request, options) => {
    const chosen = next ?? feedPages(1);
    next = undefined;
    return chosen(request, options);
  };
  const { scans, archive, parts } = await bench.start({ feed });
  const app = await startTestApp({ ...scans, archive, profiles: [profile], token: 't' });
  return {
    post: (body = '{}', headers = RIGHT) =>
      app.send({ method: 'POST', path: '/scan', headers: { ...headers }, body }),
    feedNext: (given) => {
      next = given;
    },
    fed: () => parts.fed.length,
    states: async () =>
      (await archive.list(9)).scans.map(({ summary }) => [summary?.state, summary?.page_count]),
    close: async () => {
      await app.close();
      await bench.close();
    },
  };
});

const back = (id: string, fields: object = {}): string =>
  JSON.stringify({ continue_scan: id, ...fields });

/** Refused requests for the back while the front of a card waits, with the expected error. */
const REFUSED: readonly (readonly [
  what: string,
  body: (id: string) => string,
  headers: object,
  status: number,
  error: string,
])[] = [
  ['the back without the token', back, JSON_TYPE, 401, 'unauthorized'],
  ['a wrong token', back, { ...JSON_TYPE, Authorization: 'Bearer T' }, 401, 'unauthorized'],
  ['another site', back, { ...RIGHT, Origin: 'http://evil' }, 403, 'forbidden_origin'],
  ['no media type', back, { Authorization: 'Bearer t' }, 415, 'unsupported_media_type'],
  ['text', back, { ...RIGHT, 'Content-Type': 'text/plain' }, 415, 'unsupported_media_type'],
  ['half a body', (id) => back(id).slice(0, -1), RIGHT, 400, 'invalid_body'],
  ['a number as scan', () => '{"continue_scan":1}', RIGHT, 400, 'invalid_body'],
  ['no true or false', (id) => back(id, { hold: 'no' }), RIGHT, 400, 'invalid_body'],
  ['other settings', (id) => back(id, { settings: { mode: 'Gray' } }), RIGHT, 400, 'invalid_body'],
  ['a misspelt way', () => '{"settings":{"page_grouping":"cards"}}', RIGHT, 400, 'invalid_body'],
  ['another paper', () => '{"settings":{"card_paper":"a5"}}', RIGHT, 400, 'invalid_body'],
  ['too much', (id) => back(id, { side: 'x'.repeat(70_000) }), RIGHT, 413, 'body_too_large'],
  ['the back of no scan', () => back('20990101T000000Z-000000'), RIGHT, 404, 'scan_not_found'],
];

for (const [what, body, headers, status, error] of REFUSED) {
  test(`asked for ${what}: ${status} ${error}, and the front waits`, async ({
    post,
    fed,
    states,
  }) => {
    const id = String((await post()).json?.['scan_id']);
    const answer = await post(body(id), headers);
    assert.equal([answer.status, answer.json?.['error']], [status, error], answer.text);
    assert.ok(answer.text.length < 4000, 'an answer does not repeat a large body');
    assert.equal([fed(), await states()], [1, [['held', 1]]]);
    const filed = await post(back(id));
    assert.equal([filed.status, filed.json?.['state']], [200, 'finished'], filed.text);
  });
}

const codeOf = ({ status, json }: TestAnswer): unknown[] => [status, json?.['error']];

test('asked for by two phones at once: one front waits, and the other phone learns why', async ({
  post,
  feedNext,
  states,
}) => {
  const { feed, goOn } = heldFeed();
  const feeding = Promise.withResolvers<void>();
  feedNext((request, options) => {
    feeding.resolve();
    return feed(request, options);
  });
  const first = post();
  await feeding.promise;
  assert.equal(codeOf(await post()), [409, 'scanner_busy']);
  goOn();
  assert.is((await first).json?.['state'], 'held');
  assert.equal(await states(), [['held', 1]]);
});

test('whose back two phones ask for at once: it is fed and filed once', async ({
  post,
  feedNext,
  fed,
  states,
}) => {
  const id = String((await post()).json?.['scan_id']);
  const { feed, goOn } = heldFeed();
  const feeding = Promise.withResolvers<void>();
  feedNext((request, options) => {
    feeding.resolve();
    return feed(request, options);
  });
  const first = post(back(id));
  await feeding.promise;
  assert.equal(codeOf(await post(back(id))), [409, 'scan_in_progress']);
  goOn();
  assert.is((await first).json?.['state'], 'finished');
  // A press that comes too late feeds nothing either.
  assert.equal(codeOf(await post(back(id))), [422, 'scan_not_resumable']);
  assert.equal([fed(), await states()], [2, [['finished', 2]]]);
});
