import { load as parseYaml } from 'js-yaml';
import { registerHooks } from 'node:module';
import { startTestApp } from '../../../support/test-app.ts';
import { assert, withFixture } from '../../../support/suite.ts';

const test = withFixture('the description and its page', () => startTestApp());

// Before the tests that load the page.
test('the page is there again after a file of it could not be opened', async (app) => {
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

test('the description is served as YAML and as JSON, with the version that runs', async (app) => {
  const yaml = await app.send({ path: '/openapi.yaml' });
  const json = await app.send({ path: '/openapi.json' });
  assert.match(yaml.headers['content-type'] ?? '', /yaml/);
  assert.match(json.headers['content-type'] ?? '', /application\/json/);
  assert.equal(parseYaml(yaml.text), json.json);
  assert.match(json.text, /"version":"1\.2\.3"/);
});

test('the page loads nothing from outside this service, and all that it loads is there, and nothing else', async (app) => {
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
});

test('its scripts run only by the nonce of this answer', async (app) => {
  const first = await app.send({ path: '/docs' });
  const second = await app.send({ path: '/docs' });
  const nonce = /'nonce-([^']+)'/.exec(String(first.headers['content-security-policy']))?.[1];
  assert.ok(nonce);
  for (const [tag] of first.text.matchAll(/<script[^>]*>/g)) {
    assert.ok(tag.includes(`nonce="${nonce}"`), tag);
  }
  assert.not.match(String(second.headers['content-security-policy']), `nonce-${nonce}`);
});
