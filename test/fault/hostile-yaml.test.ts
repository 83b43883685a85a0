import { readFileSync } from 'node:fs';
import { truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { loadProfiles } from '../../service/profiles/load.ts';
import { profileSchema } from '../../service/profiles/schema.ts';
import { assert, withFixture } from '../support/suite.ts';

const test = withFixture('profile files that are bombs', async (directory) => {
  return {
    inside: (name: string): string => path.join(directory, name),
    load: () => loadProfiles(directory, profileSchema({ output_dir: '/scans' })),
  };
});

const GOOD = 'name: good\ndestinations: []\n';
const MEGABYTE = 1024 * 1024;

/** CPU time limit for refusing a file; the largest file takes about ten milliseconds. */
const MOST_WORK_MS = 3000;

const LARGEST_BYTES = 100 * MEGABYTE;

/** Nine levels of nine aliases: 400 million words in ten lines. */
const LAUGHS = [
  'a: &a [lol, lol, lol, lol, lol, lol, lol, lol, lol]',
  ...'bcdefghi'.split('').map((key, index) => {
    const before = `*${'abcdefgh'[index]}`;
    return `${key}: &${key} [${Array.from({ length: 9 }, () => before).join(', ')}]`;
  }),
].join('\n');

const deep = (levels: number): string => `${'['.repeat(levels)}${']'.repeat(levels)}`;

const withField = (field: string): string => `name: bomb\ndestinations: []\n${field}\n`;

const BOMBS: readonly (readonly [what: string, content: string | Buffer])[] = [
  ['a billion laughs beside a profile', withField(LAUGHS)],
  ['a merge of a mapping', withField('x: &x {mode: Gray}\nprocessing:\n  <<: *x')],
  ['lists 100,000 deep', withField(`scanner_options: ${deep(100_000)}`)],
  ['lists 90 deep', withField(`scanner_options: ${deep(90)}`)],
  [
    'indentation 500 deep',
    Array.from({ length: 500 }, (_, at) => `${' '.repeat(at)}a:`).join('\n'),
  ],
  ['one long key', withField(`? ${'k'.repeat(20_000)}\n: 1`)],
  ['20,000 keys', Array.from({ length: 20_000 }, (_, at) => `k${at}: 1`).join('\n')],
  [
    '15,000 unknown options',
    withField(`x: {${Array.from({ length: 15_000 }, (_, at) => `k${at}: 1`).join(', ')}}`),
  ],
  [
    '20,000 destinations',
    `name: bomb\ndestinations: [${Array.from({ length: 20_000 }, () => '{kind: dms}').join(', ')}]`,
  ],
  ['60,000 documents', `${'---\n'.repeat(60_000)}${GOOD}`],
  ['a number of 200,000 digits', withField(`resolution: ${'9'.repeat(200_000)}`)],
  [
    'bytes that are no UTF-8',
    Buffer.concat([Buffer.from(withField('description: ')), Buffer.from([0xff, 0xfe, 0xc0, 0x80])]),
  ],
  ['UTF-16', Buffer.from(`\u{feff}${GOOD}`, 'utf16le')],
  ['a prototype', withField('__proto__: {mode: Color}')],
  ['a constructor', withField('constructor: {prototype: {mode: Color}}')],
  ['a prototype of the options', withField('scanner_options: {__proto__: {mode: Color}}')],
  ['a prototype as its name', 'name: __proto__\ndestinations: []\n'],
  ['code', withField('description: !!js/function "function () { process.exit(1) }"')],
  [
    'a URL of many dots',
    `name: bomb\ndestinations: [{kind: dms, base_url: "http://${'a.'.repeat(60_000)}"}]`,
  ],
];

for (const [what, content] of BOMBS) {
  test(`${what}: is refused quickly, and the good profile loads`, async ({ inside, load }) => {
    await writeFile(inside('a-bomb.yaml'), content);
    await writeFile(inside('good.yaml'), GOOD);
    const memory = process.memoryUsage().rss;
    const before = process.cpuUsage();
    const { profiles, problems } = await load();
    const { user, system } = process.cpuUsage(before);
    const workedMs = (user + system) / 1000;
    assert.ok(workedMs < MOST_WORK_MS, `${Math.round(workedMs)} ms`);
    assert.ok(process.memoryUsage().rss - memory < LARGEST_BYTES, 'too much memory');
    assert.equal([...profiles.keys()], ['good']);
    assert.equal(new Set(problems.map(({ file }) => file)), new Set(['a-bomb.yaml']));
    const { length } = problems.map(({ message }) => message).join(' ');
    assert.ok(length > 0 && length < 2000, `problems of ${length} characters`);
    assert.is(Reflect.get({}, 'mode'), undefined, 'no prototype is changed');
    assert.is(Reflect.get({}, 'deskew'), undefined, 'no prototype is changed');
  });
}

function bytesRead(): number {
  return Number(/^rchar: (\d+)$/m.exec(readFileSync('/proc/self/io', 'utf8'))?.[1]);
}

test('100 MB: are not even read', async ({ inside, load }) => {
  await writeFile(inside('a.yaml'), GOOD);
  await truncate(inside('a.yaml'), 100 * MEGABYTE);
  const before = bytesRead();
  const { problems } = await load();
  assert.match(problems[0]?.message ?? '', 'is larger than');
  assert.ok(bytesRead() - before < 10 * MEGABYTE, 'it was read');
});

test('10,000 profiles load by name', async ({ inside, load }) => {
  const COUNT = 10_000;
  for (let at = 0; at < COUNT; at += 1) {
    await writeFile(inside(`p${at}.yaml`), `name: p${at}\ndestinations: []\n`);
  }
  const { profiles, problems } = await load();
  assert.is(profiles.size, COUNT);
  assert.equal(problems, []);
});
