import { load as parseYaml } from 'js-yaml';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { registerHooks } from 'node:module';
import path from 'node:path';
import { readPageFiles } from '../../../../service/http/page-files.ts';
import { startTestApp } from '../../../support/test-app.ts';
import { assert, withFixture } from '../../../support/suite.ts';

const DIRECTORY = path.resolve(import.meta.dirname, '../../../../service/page');
/** Size limits, compressed and without images: at the start of the page, and without set-up. */
const MAX_START_BYTES = 30 * 1024;
const MAX_BYTES = 40 * 1024;
/** Limit for the files that only the set-up loads. */
const MAX_SET_UP_BYTES = 16 * 1024;
/** Limit for the files that the set-up loads for profiles only. */
const MAX_PROFILES_BYTES = 6 * 1024;
/** Loaded on demand: for the token, button options, an enlarged page, a set-up problem, a scan. */
const LATER = ['later.js', 'texts/later-english.js', 'texts/later-german.js'];
/** Loaded only by those who set up the appliance or change its settings. */
const SET_UP = /^(?:set-up\/set-up\.(?:js|css)|fields\.js|texts\/set-up-\w+\.js)$/;
const PROFILES = /^(?:set-up\/profiles\/screens\.js|texts\/profiles-\w+\.js)$/;
/** `fields.js` has what the set-up and its profiles share. */
const CHUNKS = [
  'main.js',
  'later.js',
  'fields.js',
  'set-up/set-up.js',
  'set-up/profiles/screens.js',
];
const LANGUAGES = ['english', 'german'];

const test = withFixture('the files of the control page', () =>
  startTestApp({ token: 'a token that they do not need' }),
);

test('GET / returns the page, with a policy that allows only its own files and script', async (app) => {
  const { status, headers, text } = await app.send({ path: '/' });
  assert.is(status, 200);
  assert.is(headers['content-type'], 'text/html; charset=utf-8');
  assert.is(text, await readFile(path.join(DIRECTORY, 'index.html'), 'utf8'));
  const policy = String(headers['content-security-policy']);
  const code = /<script>(.*?)<\/script>/su.exec(text)?.[1] ?? '';
  const hash = createHash('sha256').update(code).digest('base64');
  for (const rule of [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]) {
    assert.ok(policy.split('; ').includes(rule), rule);
  }
  assert.not.match(policy, /unsafe|https?:|\*|data:/);
});

test('the page lists every file it needs, and all exist', async (app) => {
  const { text } = await app.send({ path: '/' });
  const named = [...text.matchAll(/(?:href|src)="(page\/[^"]+)"/g)].map((match) => match[1] ?? '');
  assert.ok(named.length >= 5);
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
  const scripts = [...(await readPageFiles()).keys()].filter((name) => name.endsWith('.js'));
  const texts = LANGUAGES.flatMap((one) =>
    ['', 'later-', 'set-up-', 'profiles-'].map((of) => `texts/${of}${one}.js`),
  );
  assert.equal(scripts.toSorted(), [...CHUNKS, ...texts].toSorted());
});

test('files are compressed on request, and not sent again if cached', async (app) => {
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

test('no other files are served', async (app) => {
  const elsewhere =
    'tsconfig.json ../main.ts ..%2fmain.ts %2e%2e/openapi.yaml index.html/ __proto__ views views/home.js';
  for (const url of ['/page', '/page/', ...elsewhere.split(' ').map((name) => `/page/${name}`)]) {
    const { status, json } = await app.send({ path: url });
    assert.equal([status, json?.['error']], [404, 'not_found'], url);
  }
});

for (const language of LANGUAGES) {
  test(`a browser loads at most 30 KiB at the start in ${language}, 40 KiB in all, 16 KiB for the set-up, and 6 KiB for profiles`, async () => {
    const files = [...(await readPageFiles())].filter(
      ([name]) =>
        !/\.(?:png|svg)$/.test(name) && (!name.startsWith('texts/') || name.includes(language)),
    );
    const sizes = files.map(
      ([name, { content, gzipped }]) => [name, (gzipped ?? content).length] as const,
    );
    const sum = (counted: typeof sizes): number =>
      counted.reduce((all, [, bytes]) => all + bytes, 0);
    const setUp = sum(sizes.filter(([name]) => SET_UP.test(name)));
    const profiles = sum(sizes.filter(([name]) => PROFILES.test(name)));
    const everyday = sizes.filter(([name]) => !SET_UP.test(name) && !PROFILES.test(name));
    const start = sum(everyday.filter(([name]) => !LATER.includes(name)));
    assert.ok(start <= MAX_START_BYTES, `${start} bytes at the start`);
    assert.ok(sum(everyday) <= MAX_BYTES, `${sum(everyday)} bytes in all`);
    assert.ok(profiles > 0 && profiles <= MAX_PROFILES_BYTES, `${profiles} bytes of profiles`);
    assert.ok(setUp > 0 && setUp <= MAX_SET_UP_BYTES, `${setUp} bytes of the set-up`);
  });
}

test('the style sheet keeps all rules without comments', async () => {
  const sent = String((await readPageFiles()).get('style.css')?.content);
  const stored = await readFile(path.join(DIRECTORY, 'style.css'), 'utf8');
  assert.is(sent.split('{').length, stored.split('{').length);
  assert.is(sent.split('}').length, stored.split('}').length);
  assert.not.match(sent, /\/\*|\*\/|^ /m);
});

const docs = withFixture('the description and its page', () => startTestApp());

// Must precede the tests that load the page.
docs('the page recovers after one of its files could not be opened', async (app) => {
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

docs('the description is served as YAML and JSON, with the running version', async (app) => {
  const yaml = await app.send({ path: '/openapi.yaml' });
  const json = await app.send({ path: '/openapi.json' });
  assert.match(yaml.headers['content-type'] ?? '', /yaml/);
  assert.match(json.headers['content-type'] ?? '', /application\/json/);
  assert.equal(parseYaml(yaml.text), json.json);
  assert.match(json.text, /"version":"1\.2\.3"/);
});

docs(
  'the page loads existing files of this service only, and no others are served',
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

docs('its scripts run only with the nonce of this answer', async (app) => {
  const first = await app.send({ path: '/docs' });
  const second = await app.send({ path: '/docs' });
  const nonce = /'nonce-([^']+)'/.exec(String(first.headers['content-security-policy']))?.[1];
  assert.ok(nonce);
  for (const [tag] of first.text.matchAll(/<script[^>]*>/g)) {
    assert.ok(tag.includes(`nonce="${nonce}"`), tag);
  }
  assert.not.match(String(second.headers['content-security-policy']), `nonce-${nonce}`);
});
