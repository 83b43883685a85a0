import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  forgetScan,
  hashRequest,
  recallScan,
  rememberScan,
  type CallIdentity,
} from '../../../service/scan/idempotency.ts';
import { failure } from '../../support/rejection.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';

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
const HOUR = 60 * 60 * 1000;
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

/** Age of an entry in milliseconds, as a clock that jumped may make it. */
const AGES: [string, number, boolean][] = [
  ['just now', 0, true],
  ['a minute less than a day ago', DAY - 60_000, true],
  ['a minute more than a day ago', DAY + 60_000, false],
  ['in an hour, by a clock that was set back', -HOUR, true],
  ['in two days, by a clock that was wrong', -2 * DAY, false],
  ['in 1970, before the clock was set', Date.now(), false],
];

for (const [what, age, isKnown] of AGES) {
  test(`that was used ${what} is ${isKnown ? 'known' : 'free again'}`, async ({ root, edit }) => {
    await rememberScan(root, call('a'), SCAN);
    await edit({ created_at: Date.now() - age });
    assert.is(await recallScan(root, call('a')), isKnown ? SCAN : undefined);
  });
}

test('remembering one removes those that are too old, and no other file', async ({
  root,
  edit,
  entries,
}) => {
  await rememberScan(root, call('a'), SCAN);
  await edit({ created_at: 0 });
  const directory = path.join(root, '.idempotency');
  const [old = ''] = await entries();
  const beingWritten = `${old.replace(/\w{64}/, 'f'.repeat(64))}.tmp`;
  await writeFile(beingWritten, '{"scan');
  await mkdir(path.join(directory, '@eaDir'));
  await rememberScan(root, call('b'), OTHER);
  const left = await entries();
  assert.not.ok(left.includes(old));
  assert.ok(left.includes(beingWritten), 'another call is about to rename it');
  assert.is(await recallScan(root, call('b')), OTHER);
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
  { further: 1 },
]) {
  test(`an entry with ${JSON.stringify(change)} is none`, async ({ root, edit }) => {
    await rememberScan(root, call('a'), SCAN);
    await edit(change);
    assert.is(await recallScan(root, call('a')), undefined);
  });
}

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
