import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { Part } from '../support/appliance/part.ts';
import { STORED_ID } from '../support/stored-scan.ts';
import { sendTo } from '../support/test-app.ts';
import { abuseSuite, post, type AbuseContext } from './http-support/abuse-bench.ts';

const test = abuseSuite(suite<AbuseContext>('web pages of other sites'));

/** Every route that the service says it has, with something in the place of each name. */
async function routesOf(service: Part): Promise<{ method: string; url: string }[]> {
  const { json } = await sendTo(service.port(), { path: '/openapi.json' });
  const routes = Object.entries(json?.['paths'] as Record<string, object>);
  const all = routes.flatMap(([route, methods]) =>
    Object.keys(methods).map((method) => ({
      method: method.toUpperCase(),
      url: route.replaceAll(/\{\w+\}/g, STORED_ID),
    })),
  );
  assert.ok(all.length > 14);
  return all;
}

/** What the browser of somebody on the LAN sends for a page on the internet. */
const FOREIGN_PAGES: Record<string, string>[] = [
  { Origin: 'http://evil.com' },
  { Origin: 'https://evil.com' },
  { Origin: 'null' },
  { Origin: 'http://scanner.evil.com' },
  { Origin: 'http://evil.com/scanner' },
  { Origin: 'http://scanner@evil.com' },
  { Origin: 'http://scanner:81' },
  { Origin: 'http://scanner.' },
  { Origin: 'file://' },
  { Origin: 'chrome-extension://abcdefgh' },
  { Origin: 'http://127.0.0.1' },
  { Origin: 'http://scanner, http://evil.com' },
  { Origin: 'x' },
  { 'Sec-Fetch-Site': 'cross-site' },
  { 'Sec-Fetch-Site': 'same-site' },
  { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'image' },
  { 'Sec-Fetch-Site': 'cross-site', Origin: 'http://scanner' },
  { 'Sec-Fetch-Site': 'same-origin', Origin: 'http://evil.com' },
];

/** Names under which a rebound DNS name, or a confused proxy, reaches the service. */
const FOREIGN_HOSTS = [
  'evil.com',
  'evil.com:8080',
  'scanner.evil.com',
  '127.0.0.1.evil.com',
  '127.0.0.1.nip.io',
  'localhost.evil.com',
  'scanner.local.evil.com',
  'scanner.localhost.evil.com',
  'evil.com.',
  'local.',
  'a@b',
  'scanner, evil.com',
  'scanner:80:80',
  'scanner:http',
  '[::1',
  '::1',
  '0x7f.1',
  'xn--evil-0ra.com',
  'scanner/evil.com',
  'scanner#evil.com',
];

test('no page of another site can use any route', async ({ service }) => {
  for (const { method, url } of await routesOf(service)) {
    for (const foreign of FOREIGN_PAGES) {
      const headers = { Host: 'scanner', 'Content-Type': 'application/json', ...foreign };
      const {
        status,
        json,
        headers: told,
      } = await sendTo(service.port(), { method, path: url, headers });
      assert.is(status, 403, `${method} ${url} ${JSON.stringify(foreign)}`);
      assert.is(json?.['error'], 'forbidden_origin');
      assert.is(told['access-control-allow-origin'], undefined);
    }
  }
});

test('no rebound name can use any route', async ({ service }) => {
  for (const { method, url } of await routesOf(service)) {
    for (const host of FOREIGN_HOSTS) {
      const headers = { Host: host, 'Content-Type': 'application/json' };
      const { status } = await sendTo(service.port(), { method, path: url, headers });
      assert.ok([400, 421].includes(status), `${method} ${url} with Host ${host}: ${status}`);
    }
  }
});

test('a form of another site, which asks nobody first, is refused by every POST', async ({
  service,
}) => {
  const posts = (await routesOf(service)).filter(({ method }) => method === 'POST');
  for (const { url } of posts) {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
      const answer = await post(service, url, '{}', { 'Content-Type': type, Host: 'scanner' });
      assert.ok([415, 501].includes(answer.status), `${url} ${type}: ${answer.status}`);
    }
  }
});

test.run();
