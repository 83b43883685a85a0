import { feedPages, type Feed } from '../../../support/scan-parts.ts';
import type { TestAnswer } from '../../../support/send-to.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { startTestApp } from '../../../support/test-app.ts';
import { createScanBench, type BenchService } from '../../scan/call/scan-bench.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const RIGHT = { ...JSON_TYPE, Authorization: 'Bearer t' };

type Send = (body: string, headers?: object) => Promise<TestAnswer>;
type Opened = BenchService & { readonly post: Send };

const test = withFixture('POST /scan with settings', async () => {
  const bench = await createScanBench();
  const closers: (() => Promise<void>)[] = [];
  return {
    open: async (feed: Feed = feedPages(1)): Promise<Opened> => {
      const service = await bench.start({ feed });
      const app = await startTestApp({
        ...service.scans,
        archive: service.archive,
        profiles: [bench.profile()],
        token: 't',
      });
      closers.push(() => app.close());
      const post: Send = (body, headers = RIGHT) =>
        app.send({ method: 'POST', path: '/scan', headers: { ...headers }, body });
      return { ...service, post };
    },
    close: async () => {
      for (const close of closers) await close();
      await bench.close();
    },
  };
});

const asking = (settings: unknown): string => JSON.stringify({ settings });
const COLOR = asking({ mode: 'Color' });

const REFUSED: readonly (readonly [string, object, number, string])[] = [
  [COLOR, JSON_TYPE, 401, 'unauthorized'],
  [COLOR, { ...JSON_TYPE, Authorization: 'Bearer wrong' }, 401, 'unauthorized'],
  [COLOR, { ...RIGHT, Origin: 'http://evil' }, 403, 'forbidden_origin'],
  [COLOR, { ...RIGHT, 'Content-Type': 'text/plain' }, 415, 'unsupported_media_type'],
  ['{"settings":{"mode":', RIGHT, 400, 'invalid_body'],
  [asking(null), RIGHT, 400, 'invalid_body'],
  ['{"settings":{"__proto__":{"mode":"Color"}}}', RIGHT, 400, 'invalid_body'],
  [asking({ mode: 'x'.repeat(66_000) }), RIGHT, 413, 'body_too_large'],
  [asking({ mode: 'x'.repeat(60_000) }), RIGHT, 400, 'invalid_body'],
  [asking({ languages: Array(9000).fill('eng') }), RIGHT, 400, 'invalid_body'],
  [asking({ resolution: 1e308 }), RIGHT, 400, 'invalid_body'],
  [asking({ paths: { output_dir: '/etc' } }), RIGHT, 400, 'invalid_body'],
  [asking({ mode: 'Sepia', languages: ['xxx'] }), RIGHT, 422, 'scan_option_rejected'],
];

for (const [body, headers, status, error] of REFUSED) {
  const shown = body.length > 60 ? `${body.slice(0, 60)}…` : body;
  test(`${shown} is refused with ${status} ${error}, and nothing is fed`, async ({ open }) => {
    const { post, parts, archive } = await open();
    const answer = await post(body, headers);
    assert.equal([answer.status, answer.json?.['error']], [status, error], answer.text);
    assert.ok(answer.text.length < 4000, 'an answer does not repeat a large body');
    assert.equal([parts.fed, (await archive.list(1)).scans], [[], []]);
  });
}

const A5 = { width_mm: 148, height_mm: 210 };

/** Bodies with the same Idempotency-Key; false if the second one is refused. */
const REPEATED: readonly (readonly [what: string, string, string, isSame: boolean])[] = [
  ['the same settings', COLOR, COLOR, true],
  [
    'them in another order',
    asking({ mode: 'Color', resolution: 600 }),
    asking({ resolution: 600, mode: 'Color' }),
    true,
  ],
  ['none, and no choice among them', '{}', asking({}), true],
  [
    'a size by name, and the same in mm',
    asking({ page_size: 'a5' }),
    asking({ page_size: A5 }),
    true,
  ],
  ['another value', COLOR, asking({ mode: 'Gray' }), false],
  ['one more', COLOR, asking({ mode: 'Color', resolution: 600 }), false],
  ['none, then one', '{}', COLOR, false],
  ['one, then none', COLOR, '{}', false],
  ['other languages', asking({ languages: ['eng'] }), asking({ languages: ['eng', 'deu'] }), false],
];

for (const [what, first, second, isSame] of REPEATED) {
  test(`with one key, ${what}: ${isSame ? 'one scan' : 'refused like another body'}`, async ({
    open,
  }) => {
    const { post, parts } = await open();
    const keyed = { ...RIGHT, 'Idempotency-Key': 'k' };
    const scanned = await post(first, keyed);
    const again = await post(second, keyed);
    assert.is(scanned.status, 200, scanned.text);
    if (isSame) assert.equal(again.json, scanned.json);
    else assert.equal([again.status, again.json?.['error']], [422, 'idempotency_key_reused']);
    assert.is(parts.fed.length, 1);
  });
}

test('from two phones at once, with one key and other settings: one scans', async ({ open }) => {
  const goOn = Promise.withResolvers<void>();
  const feeding = Promise.withResolvers<void>();
  const { post, parts } = await open(async (request, options) => {
    feeding.resolve();
    await goOn.promise;
    return feedPages(1)(request, options);
  });
  const keyed = { ...RIGHT, 'Idempotency-Key': 'k' };
  const first = post(COLOR, keyed);
  await feeding.promise;
  const second = await post(asking({ mode: 'Gray' }), keyed);
  assert.equal([second.status, second.json?.['error']], [409, 'scan_in_progress'], second.text);
  goOn.resolve();
  assert.is((await first).status, 200);
  assert.equal(
    parts.fed.map(({ mode }) => mode),
    ['Color'],
  );
});
