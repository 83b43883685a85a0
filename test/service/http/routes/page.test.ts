import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { readPageFiles } from '../../../../service/http/page-files.ts';
import { startTestApp } from '../../../support/test-app.ts';
import { withFixture } from '../../../support/with-fixture.ts';

const DIRECTORY = path.resolve(import.meta.dirname, '../../../../service/page');
/** Compressed, and without pictures. */
const MAX_BYTES = 30 * 1024;
/** Loaded where it is needed: for a token, the fields of a scan, a page that is opened large, a problem of the set-up, a scan. */
const LATER = [
  'views/set-up.js',
  'views/tags.js',
  'texts/later.js',
  'texts/later-english.js',
  'texts/later-german.js',
  'views/token.js',
  'views/options.js',
  'views/viewer.js',
  'views/viewer-parts.js',
  'scan/page-editor.js',
];
/** A browser loads the one that it speaks. */
const LANGUAGES = ['texts/english.js', 'texts/german.js'];

const test = withFixture(suite('the files of the control page'), () =>
  startTestApp({ token: 'a token that they do not need' }),
);

test('GET / is the page, with a policy that runs nothing but its own files', async (app) => {
  const { status, headers, text } = await app.send({ path: '/' });
  assert.is(status, 200);
  assert.is(headers['content-type'], 'text/html; charset=utf-8');
  assert.is(text, await readFile(path.join(DIRECTORY, 'index.html'), 'utf8'));
  const policy = String(headers['content-security-policy']);
  for (const rule of [
    "default-src 'none'",
    "script-src 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]) {
    assert.ok(policy.split('; ').includes(rule), rule);
  }
  assert.not.match(policy, /unsafe|https?:|\*|data:/);
});

test('the page says every file that it needs, and each is there', async (app) => {
  const { text } = await app.send({ path: '/' });
  const named = [...text.matchAll(/(?:href|src)="(page\/[^"]+)"/g)].map((match) => match[1] ?? '');
  assert.ok(named.length > 5);
  assert.not.match(
    text,
    /(?:href|src)="\//,
    'relative, for a reverse proxy that has it under a path',
  );
  for (const file of named) {
    const { status, headers } = await app.send({ path: `/${file}` });
    assert.is(status, 200, file);
    assert.is(headers['x-content-type-options'], 'nosniff');
  }
  // A module that is not preloaded costs another round trip.
  const modules = [...(await readPageFiles()).keys()].filter(
    (name) => name.endsWith('.js') && ![...LANGUAGES, ...LATER].includes(name),
  );
  for (const name of modules) assert.ok(named.includes(`page/${name}`), name);
});

test('a file is compressed for those who take that, and not sent again to those who have it', async (app) => {
  const answer = await fetch(`http://127.0.0.1:${app.port}/page/main.js`);
  assert.is(answer.headers.get('content-encoding'), 'gzip');
  assert.is(answer.headers.get('cache-control'), 'no-cache');
  const plain = await app.send({ path: '/page/main.js' });
  assert.is(plain.headers['content-encoding'], undefined);
  assert.is(await answer.text(), plain.text);
  const again = await app.send({
    path: '/page/main.js',
    headers: { 'If-None-Match': String(plain.headers.etag) },
  });
  assert.is(again.status, 304);
  assert.is(again.text, '');
});

test('no other file is served', async (app) => {
  for (const url of [
    '/page/',
    '/page/tsconfig.json',
    '/page/../main.ts',
    '/page/..%2fmain.ts',
    '/page/%2e%2e/openapi.yaml',
    '/page/index.html/',
    '/page/__proto__',
    '/page/views',
    '/page',
  ]) {
    const { status, json } = await app.send({ path: url });
    assert.is(status, 404, url);
    assert.is(json?.['error'], 'not_found');
  }
});

for (const language of LANGUAGES) {
  test(`what a browser loads weighs at most 30 KB with ${language}`, async () => {
    const files = [...(await readPageFiles())].filter(
      ([name]) =>
        !/\.(?:png|svg)$/.test(name) &&
        !LATER.includes(name) &&
        (name === language || !LANGUAGES.includes(name)),
    );
    const bytes = files.reduce(
      (sum, [, { content, gzipped }]) => sum + (gzipped ?? content).length,
      0,
    );
    assert.ok(bytes <= MAX_BYTES, `${bytes} bytes`);
  });
}

test.run();
