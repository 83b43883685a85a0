import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { startTestApp } from '../../support/test-app.ts';
import { assert, suite } from '../../support/suite.ts';

const test = suite('the browser defence');

const app = await startTestApp({ allowedHosts: ['scan.example.org'] });
test.after(() => app.close());

const OWN =
  '127.0.0.1 192.168.1.5:8080 [fe80::1]:8080 localhost:8080 scanner scanner.local SCANNER.LOCAL:80 scanner.fritz.box fritz.box:8080 scanner.lan scanner.home.arpa scanner.internal scanner.localdomain scan.example.org';
const FOREIGN_HOSTS =
  'notfritz.box scanner.lan.evil.com evil.box evil.com scan.example.org.evil.com 192.168.1.5.evil.com 127.0.0.1:99999999 a_b scanner.local@evil.com [::1';

test('only hosts of this network and of the settings are accepted', async () => {
  for (const [hosts, status] of [
    [OWN, 200],
    [FOREIGN_HOSTS, 421],
  ] as const) {
    for (const host of hosts.split(' ')) {
      const headers = { Host: host.replace('_', ' ') };
      const answer = await app.send({ path: '/health', headers });
      assert.is(answer.status, status, host);
      if (status === 421) assert.is(answer.json?.['error'], 'misdirected_host');
    }
  }
});

test('a second Host header is refused, whatever it says', async () => {
  const socket = connect(app.port, '127.0.0.1');
  socket.end('GET /health HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n');
  assert.match(await text(socket), /^HTTP\/1\.1 421 /);
});

test('every route checks the host', async () => {
  for (const path of ['/ready', '/profiles', '/docs', '/openapi.json', '/jobs', '/nothing']) {
    const answer = await app.send({ path, headers: { Host: 'evil.com' } });
    assert.is(answer.status, 421, path);
  }
});

const FOREIGN: [string, Record<string, string>][] = [
  ['a foreign Origin', { Origin: 'http://evil.com' }],
  ['the Origin null of a sandboxed page', { Origin: 'null' }],
  ['the same host on another port', { Origin: 'http://scanner:9000' }],
  ['an Origin that is no URL', { Origin: 'x' }],
  ['a cross-site request', { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' }],
  ['a request from a sister site', { 'Sec-Fetch-Site': 'same-site', 'Sec-Fetch-Mode': 'cors' }],
];

for (const [what, headers] of FOREIGN) {
  test(`${what} can neither read nor scan`, async () => {
    for (const method of ['GET', 'POST']) {
      const answer = await app.send({
        method,
        path: '/scan',
        headers: { Host: 'scanner', ...headers },
      });
      assert.is(answer.status, 403);
      assert.is(answer.json?.['error'], 'forbidden_origin');
    }
  });
}

test('pages of this service may call it, even behind a TLS proxy', async () => {
  for (const origin of ['http://scanner', 'https://scanner']) {
    const headers = { Host: 'scanner', Origin: origin, 'Sec-Fetch-Site': 'same-origin' };
    assert.is((await app.send({ path: '/health', headers })).status, 200);
  }
});

test('a link from another site opens the page, but a form cannot post', async () => {
  const headers = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' };
  assert.is((await app.send({ path: '/docs', headers })).status, 200);
  assert.is((await app.send({ method: 'POST', path: '/scan', headers })).status, 403);
});

test('no answer allows another site anything', async () => {
  const answer = await app.send({ method: 'OPTIONS', path: '/scan' });
  const names = Object.keys(answer.headers);
  assert.equal(
    names.filter((name) => name.startsWith('access-control-')),
    [],
  );
});
