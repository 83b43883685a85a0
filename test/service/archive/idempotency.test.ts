import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { uptime } from 'node:os';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  forgetScan,
  hashRequest,
  recallScan,
  rememberScan,
  removeExpiredKeys,
  type CallIdentity,
} from '../../../service/archive/idempotency.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { failure } from '../../support/rejection.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { within } from '../../support/within.ts';

interface Fixture {
  readonly root: string;
  /** Files of all entries. */
  readonly entries: () => Promise<string[]>;
  /** Changes fields of the only entry. */
  readonly edit: (change: object) => Promise<void>;
  close(): Promise<void>;
}

const test = withFixture<Fixture>(suite('what an Idempotency-Key was used for'), async () => {
  const temporary = await temporaryDirectory();
  const root = temporary.path;
  const directory = path.join(root, '.idempotency');
  const entries = async (): Promise<string[]> =>
    (await readdir(directory)).map((name) => path.join(directory, name));
  return {
    root,
    entries,
    edit: async (change) => {
      const [file = ''] = await entries();
      const entry = JSON.parse(await readFile(file, 'utf8')) as object;
      await writeFile(file, JSON.stringify({ ...entry, ...change }));
    },
    close: () => temporary.remove(),
  };
});

const SCAN = '20261121T063000Z-8f3a1c';
const OTHER = '20261121T064000Z-000000';
const MINUTE = 60 * 1000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const call = (key: string, request: object = {}): CallIdentity => ({
  key,
  requestHash: hashRequest(request),
});

test('is nothing where it was not used, or nothing was ever written', async ({ root }) => {
  assert.is(await recallScan(root, call('a')), undefined);
  assert.is(await recallScan(path.join(root, 'missing'), call('a')), undefined);
  await rememberScan(root, call('a'), SCAN);
  assert.is(await recallScan(root, call('b')), undefined);
});

test('is the scan that the call began', async ({ root }) => {
  await rememberScan(root, call('a'), SCAN);
  await rememberScan(root, call('b'), OTHER);
  assert.is(await recallScan(root, call('a')), SCAN);
  assert.is(await recallScan(root, call('b')), OTHER);
});

test('with another request is an error that names the scan', async ({ root }) => {
  await rememberScan(root, call('a', { title: 'one' }), SCAN);
  const error = await failure(
    'idempotency_key_reused',
    recallScan(root, call('a', { title: 'two' })),
  );
  assert.equal(error.facts, { scan_id: SCAN });
});

test('is forgotten when the call moved no paper', async ({ root }) => {
  await rememberScan(root, call('a'), SCAN);
  await forgetScan(root, call('a'));
  assert.is(await recallScan(root, call('a')), undefined);
  await forgetScan(root, call('a'));
});

const OTHER_BOOT = 'a-start-of-the-machine-before-this-one';

/** How an entry stands to the clock and the run of the machine, and whether its key is known. */
const AGES: [string, () => object, boolean][] = [
  ['just now', () => ({}), true],
  ['a minute less than a day ago', () => ranFor(DAY - MINUTE), true],
  ['a minute more than a day ago', () => ranFor(DAY + MINUTE), false],
  ['just now, by a clock that was set forward a month since', () => madeAt(-30 * DAY), true],
  ['just now, by a clock that was set back a month since', () => madeAt(30 * DAY), true],
  ['in 1970, before a clock of its own was set', () => ({ created_at: 5000 }), true],
  [
    'a day ago and more, though the clock stood still',
    () => ({ ...ranFor(2 * DAY), created_at: Date.now() }),
    false,
  ],
  ['before a restart, an hour ago', () => ({ ...madeAt(-HOUR), boot_id: OTHER_BOOT }), true],
  ['before a restart, two days ago', () => ({ ...madeAt(-2 * DAY), boot_id: OTHER_BOOT }), false],
  [
    'before a restart that set the clock back',
    () => ({ ...madeAt(2 * DAY), boot_id: OTHER_BOOT }),
    true,
  ],
  ['where the kernel names no start, an hour ago', () => ({ ...madeAt(-HOUR), boot_id: '' }), true],
  [
    'where the kernel names no start, two days ago',
    () => ({ ...madeAt(-2 * DAY), boot_id: '' }),
    false,
  ],
];

const madeAt = (fromNowMs: number): object => ({ created_at: Date.now() + fromNowMs });
const ranFor = (ms: number): object => ({ uptime_seconds: uptime() - ms / 1000 });

for (const [what, change, isKnown] of AGES) {
  test(`that was used ${what} is ${isKnown ? 'known' : 'free again'}`, async ({
    root,
    edit,
    entries,
  }) => {
    await rememberScan(root, call('a'), SCAN);
    await edit(change());
    assert.is(await recallScan(root, call('a')), isKnown ? SCAN : undefined);
    await removeExpiredKeys(root);
    assert.is((await entries()).length, isKnown ? 1 : 0);
  });
}

test('is removed when it is too old, and no other file is', async ({ root, edit, entries }) => {
  await rememberScan(root, call('a'), SCAN);
  await edit(ranFor(2 * DAY));
  const [old = ''] = await entries();
  const others = [
    old.replace(/\w{64}\.json$/, 'notes.json'),
    `${old.replace(/\w{64}/, 'f'.repeat(64))}.0123456789ab.tmp`,
  ];
  for (const file of others) await writeFile(file, '{"scan');
  await mkdir(path.join(root, '.idempotency', '@eaDir'));
  await rememberScan(root, call('b'), OTHER);
  await removeExpiredKeys(root);
  const left = await entries();
  assert.is(left.length, 4);
  assert.not.ok(left.includes(old));
  for (const file of others) assert.ok(left.includes(file), file);
  assert.is(await recallScan(root, call('b')), OTHER);
});

test('that cannot be looked at keeps no other from being removed, and is still there', async ({
  root,
  edit,
  entries,
}) => {
  await rememberScan(root, call('a'), SCAN);
  await edit(ranFor(2 * DAY));
  const folder = path.join(root, '.idempotency', `${'0'.repeat(64)}.json`);
  await mkdir(folder);
  await removeExpiredKeys(root);
  assert.equal(await entries(), [folder]);
  await removeExpiredKeys(path.join(root, 'missing'));
});

test('is recalled and remembered without a look at the others, however many', async ({ root }) => {
  await rememberScan(root, call('a'), SCAN);
  const directory = path.join(root, '.idempotency');
  for (let number = 0; number < 50; number += 1) {
    // A reader of this pipe would wait for ever.
    const name = `${String(number).padStart(64, '0')}.json`;
    if (number === 0) await makePipe(path.join(directory, name));
    else await writeFile(path.join(directory, name), JSON.stringify({ created_at: 0 }));
  }
  await within(60_000, rememberScan(root, call('b'), OTHER));
  assert.is(await within(60_000, recallScan(root, call('a'))), SCAN);
  assert.is((await readdir(directory)).length, 52);
});

test('many calls at once are all remembered', async ({ root }) => {
  const keys = Array.from({ length: 40 }, (_, index) => `k${index}`);
  await Promise.all(keys.map((key) => rememberScan(root, call(key), SCAN)));
  const found = await Promise.all(keys.map((key) => recallScan(root, call(key))));
  assert.equal(new Set(found), new Set([SCAN]));
});

for (const [what, content] of [
  ['empty', ''],
  ['cut off', '{"scan_id":"2026'],
  ['null', 'null'],
  ['of zeros', '\0\0\0\0'],
  ['with an id that is a path', JSON.stringify({ scan_id: '../../etc' })],
] as const) {
  test(`an entry that is ${what} is none, and is written anew`, async ({ root, entries }) => {
    await rememberScan(root, call('a'), SCAN);
    const [file = ''] = await entries();
    await writeFile(file, content);
    assert.is(await recallScan(root, call('a')), undefined);
    await rememberScan(root, call('a'), OTHER);
    assert.is(await recallScan(root, call('a')), OTHER);
  });
}

for (const change of [
  { scan_id: '../../etc/passwd' },
  { request_sha256: 'x' },
  { created_at: 'now' },
  { boot_id: undefined },
  { uptime_seconds: '5' },
]) {
  test(`an entry with ${JSON.stringify(change)} is none`, async ({ root, edit }) => {
    await rememberScan(root, call('a'), SCAN);
    await edit(change);
    assert.is(await recallScan(root, call('a')), undefined);
  });
}

test('an entry with a field that a newer version added is known', async ({ root, edit }) => {
  await rememberScan(root, call('a'), SCAN);
  await edit({ further: 1 });
  assert.is(await recallScan(root, call('a')), SCAN);
});

test('an entry that cannot be read is an error: feeding again would be a guess', async ({
  root,
  entries,
}) => {
  await rememberScan(root, call('a'), SCAN);
  const [file = ''] = await entries();
  await rm(file);
  await mkdir(file);
  const error = await failure('internal_error', recallScan(root, call('a')));
  assert.match(error.message, /nothing was fed/);
  await rememberScan(root, call('b'), OTHER);
  assert.is(await recallScan(root, call('b')), OTHER);
});

for (const key of [
  '../../../../etc/passwd',
  '/etc/passwd',
  '..%2f..%2fscan.json',
  '.',
  '..',
  'a\0b',
  '__proto__',
  'constructor',
  'x'.repeat(255),
  'x'.repeat(100_000),
  '\u202e\ud83d\ude00',
  '',
]) {
  test(`the key ${JSON.stringify(key.slice(0, 30))} never becomes a path`, async ({
    root,
    entries,
  }) => {
    assert.is(await recallScan(root, call(key)), undefined);
    await rememberScan(root, call(key), SCAN);
    assert.is(await recallScan(root, call(key)), SCAN);
    const [file = '', ...others] = await entries();
    assert.equal(others, []);
    assert.match(path.basename(file), /^[0-9a-f]{64}\.json$/);
    assert.not.match(await readFile(file, 'utf8'), 'passwd');
    assert.equal(await readdir(root), ['.idempotency']);
  });
}

test('requests are the same whatever the order of fields, on any level', () => {
  const one = hashRequest({
    profile: 'a',
    metadata: { title: 'b', custom_fields: { 1: 1, 2: 2 } },
  });
  const two = hashRequest({
    metadata: { custom_fields: { 2: 2, 1: 1 }, title: 'b' },
    profile: 'a',
  });
  assert.is(one, two);
});

test('requests that differ in anything else are not', () => {
  const requests = [
    {},
    { metadata: {} },
    { profile: 'a' },
    { profile: 'b' },
    { continue_scan: 'a' },
    { metadata: { tags: [1, 2] } },
    { metadata: { tags: [2, 1] } },
    { metadata: { tags: [12] } },
    { metadata: { title: '1' } },
    { metadata: { title: 1 } },
    { metadata: { custom_fields: { 1: null } } },
    { metadata: { custom_fields: { 1: 'null' } } },
    JSON.parse('{"__proto__":{"a":1}}') as object,
  ];
  assert.is(new Set(requests.map(hashRequest)).size, requests.length);
});

test.run();
