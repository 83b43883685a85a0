import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { processorMsOf } from '../support/processes.ts';
import { STORED_ID } from '../support/stored-scan.ts';
import { sendTo } from '../support/test-app.ts';
import {
  abuseSuite,
  ask,
  CLOSE,
  exchange,
  JSON_POST,
  post,
  statusesIn,
  type AbuseContext,
} from './http-support/abuse-bench.ts';

const test = abuseSuite(suite<AbuseContext>('hostile bodies and keys'));

const UTF16 = Buffer.from('\ufeff{"profile":"default"}', 'utf16le');
const LATIN1 = Buffer.from('{"profile":"default","colour":"Gr\u00fcn"}', 'latin1');

for (const [what, headers, body, status] of [
  ['gzip', ['Content-Encoding: gzip'], Buffer.from('1f8b08000000', 'hex'), 415],
  ['br', ['Content-Encoding: br'], Buffer.from('x'), 415],
  ['deflate', ['Content-Encoding: deflate'], Buffer.from('x'), 415],
  ['zstd', ['Content-Encoding: zstd'], Buffer.from('x'), 415],
  ['an encoding that there is not', ['Content-Encoding: x, y'], Buffer.from('{}'), 415],
  ['UTF-16', [], UTF16, 400],
  ['Latin-1', [], LATIN1, 400],
  ['NUL bytes', [], Buffer.alloc(1000), 400],
  ['half a character', [], Buffer.from('7b22c3', 'hex'), 400],
  ['a lone surrogate', [], Buffer.from('{"\\ud800":1}'), 400],
] as const) {
  test(`a body in ${what} is refused`, async ({ service }) => {
    const length = [`Content-Length: ${body.length}`, 'Connection: close'];
    const head = Buffer.from(ask([...JSON_POST, ...headers, ...length]));
    const answer = await exchange(service, Buffer.concat([head, body]));
    assert.equal(statusesIn(answer), [status], answer);
  });
}

const POSTS = ['/scan', `/scans/${STORED_ID}/resume`, `/scans/${STORED_ID}/stop`, '/session'];

const deep = (depth: number, open = '[', end = ']'): string =>
  open.repeat(depth) + end.repeat(depth);

/** Bodies that are small and want to be much work, or something else than they are. */
const BODIES: [string, string][] = [
  ['30,000 lists in each other', deep(30_000)],
  ['10,000 objects in each other', `${'{"a":'.repeat(9000)}1${'}'.repeat(9000)}`],
  ['a list that never ends', '['.repeat(60_000)],
  ['a custom field 2,000 deep', `{"custom_fields":{"1":${deep(2000)}}}`],
  ['a custom field 30,000 deep', `{"custom_fields":{"1":${deep(30_000)}}}`],
  ['tags 15,000 deep', `{"tags":[${deep(15_000)},${deep(15_000)}]}`],
  ['9,000 lists as tags', `{"tags":[${Array.from({ length: 9000 }, (_, i) => `[${i}]`).join()}]}`],
  ['16,000 wrong tags', `{"tags":[${Array.from({ length: 16_000 }, () => '"x"').join()}]}`],
  ['6,000 unknown fields', `{${Array.from({ length: 6000 }, (_, i) => `"a${i}":1`).join()}}`],
  ['a field with a name of 60 KB', `{"${'x'.repeat(60_000)}":1}`],
  ['a number of 60,000 digits', `{"archive_serial_number":${'9'.repeat(60_000)}}`],
  ['1e999', '{"archive_serial_number":1e999}'],
  ['__proto__', '{"__proto__":{"profile":"default"}}'],
  ['__proto__ in a custom field', '{"custom_fields":{"__proto__":{"1":1}}}'],
  ['an escaped __proto__', '{"\\u005f_proto__":{"polluted":true}}'],
  ['constructor.prototype', '{"constructor":{"prototype":{"polluted":true}}}'],
  ['toString', '{"toString":"x"}'],
  ['hasOwnProperty', '{"hasOwnProperty":1,"profile":"default"}'],
  ['a profile that is a path', '{"profile":"../../etc/passwd"}'],
  ['a profile that is __proto__', '{"profile":"__proto__"}'],
  ['a profile that is constructor', '{"profile":"constructor"}'],
  ['a scan to go on with that is a path', '{"continue_scan":"../../etc"}'],
  ['a scan to go on with that is __proto__', '{"continue_scan":"__proto__"}'],
];

/** Processor time that one may cost: what the machine does beside it does not count. */
const MOST_WORK_MS = 3000;

for (const [what, body] of BODIES) {
  test(`${what} is answered 400 or 404, soon and shortly`, async ({ service }) => {
    for (const key of [{}, { 'Idempotency-Key': 'k' }]) {
      for (const url of POSTS) {
        const before = processorMsOf(service.pid());
        const answer = await post(service, url, body, key);
        assert.ok(
          [400, 404].includes(answer.status),
          `${answer.status} ${answer.text.slice(0, 500)}`,
        );
        assert.ok(answer.text.length < 200_000, `${answer.text.length} bytes`);
        const worked = processorMsOf(service.pid()) - before;
        assert.ok(worked < MOST_WORK_MS, `${worked} ms of work`);
      }
    }
  });
}

const KEYED = (key: string): Buffer =>
  Buffer.from(
    ask([...JSON_POST, `Idempotency-Key: ${key}`, 'Content-Length: 2', CLOSE], '{}'),
    'latin1',
  );

for (const key of [
  '',
  ' ',
  'x'.repeat(256),
  'x'.repeat(7000),
  'a b',
  'a\tb',
  'a\u00e9',
  '\u00ff',
  'a\u007f',
  'a\r\nIdempotency-Key: b',
]) {
  test(`the Idempotency-Key ${JSON.stringify(key.slice(0, 30))} is refused`, async ({
    service,
  }) => {
    const answer = await exchange(service, KEYED(key));
    assert.equal(statusesIn(answer), [400], answer);
  });
}

test('an Idempotency-Key that looks like a path or a property is only a key', async ({
  service,
  temporary,
}) => {
  const keys = ['../../../etc/passwd', '/etc/passwd', '__proto__', 'constructor', '.', '..', '%00'];
  for (const key of [...keys, '{"a":1}', 'x'.repeat(255)]) {
    // There is no scanner: it gets as far as the checks before a sheet moves.
    assert.equal(statusesIn(await exchange(service, KEYED(key))), [503], key);
  }
  assert.equal(await readdir(path.join(temporary.path, 'scans')), [STORED_ID]);
});

/** What may stand in an address where a name or a number is expected. */
const NAMES = [
  '..%2f..%2f..%2fetc%2fpasswd',
  '..%5c..%5cetc',
  '%2e%2e',
  '%00',
  '%ff%fe',
  '%E0%A4%A',
  '%0d%0aSet-Cookie:%20a=b',
  '__proto__',
  'constructor',
  '-1',
  '1e9',
  '0x1',
  '<script>',
  'x'.repeat(7000),
];

test('a name or a number that is none is answered 400 or 404 by every GET, and never repeated as markup', async ({
  service,
}) => {
  for (const name of NAMES) {
    for (const url of [
      `/scans?limit=${name}`,
      `/scans/${name}`,
      `/scans/${name}/events`,
      `/scans/${STORED_ID}/files/${name}`,
      `/scans/${STORED_ID}/pages/${name}/preview`,
      `/scans/${name}/pages/1/preview`,
      `/profiles/${name}`,
      `/metadata/${name}?profile=default`,
      `/metadata/tags?profile=${name}`,
      `/metadata/tags?profile=default&profile=${name}`,
      `/scanners?refresh=${name}`,
      `/page/${name}`,
      `/page/views/${name}`,
    ]) {
      const { status, headers } = await sendTo(service.port(), { path: url });
      assert.ok([400, 404].includes(status), `${status} ${url.slice(0, 100)}`);
      assert.match(String(headers['content-type']), 'application/json');
      assert.is(headers['set-cookie'], undefined);
    }
  }
});

test.run();
