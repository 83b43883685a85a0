import got from 'got';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { attach, secret, until } from '../appliance.ts';
import { openDms } from '../stored-documents.ts';
import { assert, suite } from '../../support/suite.ts';

const FILED_MS = 180_000;
const CALL_MS = 120_000;

const PASSWORD = 'correct horse';
/** Everything that an appliance keeps, by the variables of docker-compose.yml. */
const KEPT = ['PROFILES', 'SECRETS', 'SANE_CONFIG', 'SCANS', 'SAVED_PROFILES', 'SETTINGS'];

const test = suite('the set-up in the browser, in containers');
const appliance = await attach();

const call = got.extend({
  prefixUrl: `http://127.0.0.1:${appliance.facts.ports.service}/`,
  timeout: { request: CALL_MS },
  retry: { limit: 0 },
});

/** Sets or enters the operator password. Returns headers with the session's cookie. */
async function enter(how: 'claim' | 'session', password: string): Promise<{ cookie: string }> {
  const { headers } = await call.post(`set-up/${how}`, { json: { password } });
  return { cookie: headers['set-cookie']?.[0]?.split(';')[0] ?? '' };
}

async function stateFor(headers: object): Promise<unknown> {
  return call.get('set-up', { headers: { ...headers } }).json();
}

test.before(async () => {
  const env: Record<string, string> = {};
  for (const name of KEPT) {
    env[name] = path.join(appliance.facts.workspace, 'new', name);
    await mkdir(env[name], { recursive: true, mode: 0o700 });
  }
  await appliance.compose(['up', '--detach', '--no-build'], { env });
  await appliance.ready();
  // An address that the service checks and the scanner runtime uses, as in a network at home.
  await connect('connect', '--alias', 'virtual-scanner');
});
test.after(async () => {
  await connect('disconnect');
  await appliance.compose(['up', '--detach', '--no-build']);
  await appliance.ready();
});

async function connect(how: string, ...options: string[]): Promise<void> {
  const network = `${appliance.facts.project}_uplink`;
  const scanner = await appliance.container('virtual-scanner');
  await appliance.docker.run(['network', how, ...options, network, scanner]);
}

test('leads from a new appliance to a filed document, with a restart in between', async () => {
  const dms = await openDms(appliance, 'dms');
  const filed = await dms.count();
  const token = await secret(appliance, 'dms_api_token');
  const headers = await enter('claim', PASSWORD);
  await call.post('set-up/scanner', { headers, json: { scanner: 'virtual-scanner:8089' } });
  await appliance.compose(['restart', 'service', 'scanner', 'processor']);
  await appliance.ready();
  assert.equal(await stateFor(headers), { state: 'set', logged_in: true, finished: false });
  await call.post('set-up/paperless', { headers, json: { address: 'paperless:8000', token } });
  await call.post('set-up/finish', { headers, json: {} });
  await appliance.load('scanner', { pages: ['receipt.jpg'] });
  const { documents } = await appliance.scanned({ profile: 'default' });
  assert.is(documents[0]?.destinations[0]?.status, 'submitted');
  await until(FILED_MS, 'the document', async () => (await dms.count()) === filed + 1);
});

test('a lost operator password is replaced in the container, which ends all sessions', async () => {
  const headers = await enter('session', PASSWORD);
  const program = ['node', 'deploy/setup/operator-password.ts'];
  const printed = await appliance.compose(['exec', '--no-TTY', 'service', ...program]);
  const [password = ''] = /\b(?:[a-z2-9]{4}-){3}[a-z2-9]{4}\b/u.exec(printed) ?? [];
  const closed: unknown = await stateFor(headers);
  assert.match(JSON.stringify(closed), /"logged_in":false/);
  assert.match(
    JSON.stringify(await stateFor(await enter('session', password))),
    /"logged_in":true/,
  );
});
