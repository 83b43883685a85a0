import { parse, type Token } from 'acorn';
import { load as parseYaml } from 'js-yaml';
import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { readPageFiles, withoutNotes } from '../../../../service/http/page-files.ts';
import { startTestApp } from '../../../support/test-app.ts';
import { assert, withFixture } from '../../../support/suite.ts';

const DIRECTORY = path.resolve(import.meta.dirname, '../../../../service/page');
/** Compressed, without images. */
const MAX_BYTES = 36 * 1024;
/** Loaded on demand: token, button options, enlarged page, set-up problem, scan. */
const LATER =
  `views/set-up views/tags views/token views/options views/settings views/save views/viewer views/viewer-parts views/share scan/page-editor
  texts/later texts/later-english texts/later-german`
    .split(/\s+/)
    .map((name) => `${name}.js`);
/** A browser loads only its own language. */
const LANGUAGES = ['texts/english.js', 'texts/german.js'];

const test = withFixture('the files of the control page', () =>
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
  const elsewhere =
    'tsconfig.json ../main.ts ..%2fmain.ts %2e%2e/openapi.yaml index.html/ __proto__ views';
  for (const url of ['/page', '/page/', ...elsewhere.split(' ').map((name) => `/page/${name}`)]) {
    const { status, json } = await app.send({ path: url });
    assert.equal([status, json?.['error']], [404, 'not_found'], url);
  }
});

for (const language of LANGUAGES) {
  test(`what a browser loads weighs at most 36 KiB with ${language}`, async () => {
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

function tokensOf(code: string): [string, boolean][] {
  const tokens: Token[] = [];
  parse(code, { ecmaVersion: 'latest', sourceType: 'module', onToken: tokens });
  return tokens.map(({ start, end }, index) => [
    code.slice(start, end),
    code.slice(tokens[index - 1]?.end ?? 0, start).includes('\n'),
  ]);
}

test('a module without its notes has the same tokens on the same lines', async () => {
  const modules = [...(await readPageFiles()).keys()].filter((name) => name.endsWith('.js'));
  assert.ok(modules.length > 20);
  for (const name of modules) {
    const code = await readFile(path.join(DIRECTORY, name), 'utf8');
    const kept = withoutNotes(code);
    assert.equal(tokensOf(kept).slice(1), tokensOf(code).slice(1), name);
    assert.not.match(kept, /@param|^ /m, name);
  }
  const code =
    'const a = `/* no\n  note */`; /* a note */ const b = /\\/\\*x/;\nlet c = 1 /*\n*/ ++a';
  const kept = 'const a = `/* no\n  note */`; const b = /\\/\\*x/;\nlet c = 1\n++a\n';
  assert.is(withoutNotes(code), kept);
  assert.throws(() => withoutNotes('const'), /SyntaxError|Unexpected/);
});

test('the style has all its rules, without its notes', async () => {
  const sent = String((await readPageFiles()).get('style.css')?.content);
  const stored = await readFile(path.join(DIRECTORY, 'style.css'), 'utf8');
  assert.is(sent.split('{').length, stored.split('{').length);
  assert.is(sent.split('}').length, stored.split('}').length);
  assert.not.match(sent, /\/\*|\*\/|^ /m);
});

const docs = withFixture('the description and its page', () => startTestApp());

// Must precede the tests that load the page.
docs('the page is there again after a file of it could not be opened', async (app) => {
  const hooks = registerHooks({
    load: (url, context, nextLoad) => {
      if (!url.includes('/handlebars/')) return nextLoad(url, context);
      throw Object.assign(new Error('too many open files'), { code: 'EMFILE' });
    },
  });
  const during = await app.send({ path: '/docs' });
  hooks.deregister();
  assert.is(during.status, 500);
  assert.match(app.logged.text(), /too many open files/);
  assert.is((await app.send({ path: '/docs' })).status, 200);
});

docs('the description is served as YAML and as JSON, with the version that runs', async (app) => {
  const yaml = await app.send({ path: '/openapi.yaml' });
  const json = await app.send({ path: '/openapi.json' });
  assert.match(yaml.headers['content-type'] ?? '', /yaml/);
  assert.match(json.headers['content-type'] ?? '', /application\/json/);
  assert.equal(parseYaml(yaml.text), json.json);
  assert.match(json.text, /"version":"1\.2\.3"/);
});

docs(
  'the page loads nothing from outside this service, and all that it loads is there, and nothing else',
  async (app) => {
    const { text } = await app.send({ path: '/docs' });
    assert.match(text, /url: ?"?\/openapi\.json|"url":"\/openapi\.json"/);
    const loaded = [...text.matchAll(/<(?:script|link|img)[^>]*(?:src|href)="([^"]*)"/g)];
    assert.ok(loaded.length >= 4);
    for (const [, address = ''] of loaded) {
      assert.match(address, /^\/docs\/assets\//);
      const asset = await app.send({ path: address });
      assert.is(asset.status, 200, address);
      assert.match(asset.headers['content-type'] ?? '', /javascript|css|png/);
      assert.ok(asset.text.length > 100);
    }
    const base = /\/docs\/assets\/[^/"]+\//.exec(text)?.[0] ?? '';
    for (const name of ['package.json', '..%2fpackage.json', '__proto__', 'swagger-ui.css.map']) {
      assert.is((await app.send({ path: `${base}${name}` })).status, 404, name);
    }
    assert.is((await app.send({ path: '/x/y/docs' })).status, 404);
  },
);

docs('its scripts run only by the nonce of this answer', async (app) => {
  const first = await app.send({ path: '/docs' });
  const second = await app.send({ path: '/docs' });
  const nonce = /'nonce-([^']+)'/.exec(String(first.headers['content-security-policy']))?.[1];
  assert.ok(nonce);
  for (const [tag] of first.text.matchAll(/<script[^>]*>/g)) {
    assert.ok(tag.includes(`nonce="${nonce}"`), tag);
  }
  assert.not.match(String(second.headers['content-security-policy']), `nonce-${nonce}`);
});
