import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { readOpenApi } from '../../service/http/open-api.ts';
import { setPassword } from '../../service/operator/operator.ts';
import { createOwnFiles } from '../../service/settings/own-files.ts';
import { DMS_TOKEN, withAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { describedResponses } from '../support/open-api-schemas.ts';
import { shippedPage } from '../support/pages.ts';
import { commandLinesBelow } from '../support/processes.ts';
import { formsOf } from '../support/secret-forms.ts';
import { sendTo, type TestAnswer } from '../support/send-to.ts';
import { assert, suite } from '../support/suite.ts';

const test = suite<{ appliance: Appliance }>('secrets of a set-up in the browser');

const LOGIN = { username: 'admin', password: 'MARKER-of-Paperless' };

withAppliance(test, {
  profiles: [],
  isNew: true,
  dms: { login: LOGIN },
  serviceEnvironment: { METRICS: 'on' },
});

/** What callers send that no answer, log line or file may have. */
const SENT = {
  first: 'MARKER-operator-first',
  second: 'MARKER-operator-second',
  house: 'MARKER-of-the-house',
  wrong: 'MARKER-wrong-password',
  code: 'MARKER-code',
  token: 'feedfacefeedfacefeedfacefeedfacefeedface',
};

const openApi = await readOpenApi('1.2.3');

/** Every GET call of the description that is answered at once. */
const GETS = [
  ...new Set(
    describedResponses(openApi)
      .filter(({ method, path: url }) => method === 'GET' && !url.endsWith('/events'))
      .map(({ path: url }) => url),
  ),
];

const cookieOf = ({ headers }: TestAnswer): string =>
  headers['set-cookie']?.[0]?.split(';')[0] ?? '';

test('are in no answer, log line or command line, and only in files that the service alone reads', async ({
  appliance,
}) => {
  const seen: [string, string][] = [];
  const call = async (
    line: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<TestAnswer> => {
    const [method = '', url = ''] = line.split(' ');
    const answer = await sendTo(appliance.service.port(), {
      method,
      path: url,
      headers: { ...headers, ...(body && { 'Content-Type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    // A session in its own Set-Cookie header is no leak.
    const rest = { ...answer.headers, 'set-cookie': undefined };
    seen.push([line, `${answer.text}\n${JSON.stringify(rest)}`]);
    return answer;
  };

  const { first, second, house, wrong, code, token } = SENT;
  // With METRICS=on, the appliance is not new.
  await setPassword(createOwnFiles(path.join(appliance.directory, 'settings')), first);
  const session = cookieOf(await call('POST /set-up/session', { password: first }));
  const operator = { Cookie: session };
  await call('POST /set-up/claim', { password: wrong });
  await call('POST /set-up/session', { password: wrong });
  const scanners = await call('GET /set-up/scanners', undefined, operator);
  const [found] = (scanners.json as { scanners: { name: string }[] }).scanners;
  const chosen = await call('POST /set-up/scanner', { scanner: found?.name }, operator);
  assert.is(chosen.status, 200, chosen.text);
  await call('POST /set-up/scanner', { scanner: `http://u:${wrong}@192.168.1.5/` }, operator);
  const address = appliance.dms.url;
  const accounts = [
    { user: LOGIN.username, password: wrong, code },
    { token },
    { token: `${token} ${wrong}` },
    { user: LOGIN.username, password: wrong, token },
  ];
  for (const account of accounts) {
    await call('POST /set-up/paperless', { address, ...account }, operator);
  }
  for (const broken of [`http://u:${wrong}@paperless.lan`, token, `http://a/?token=${token}`]) {
    await call('POST /set-up/paperless', { address: broken, token }, operator);
  }
  const { username: user, password } = LOGIN;
  const stored = await call('POST /set-up/paperless', { address, user, password }, operator);
  assert.is(stored.status, 200, stored.text);
  await call('PUT /set-up/house', { password: `${house} with blanks` }, operator);
  assert.is((await call('PUT /set-up/house', { password: house }, operator)).status, 204);
  const caller = { Authorization: `Bearer ${house}` };
  const byCookie = { Cookie: cookieOf(await call('POST /session', { token: house })) };
  await call('POST /session', { token: wrong });

  appliance.scanner.load([shippedPage('blank-back-plain').file]);
  const stream = { ...caller, Accept: 'text/event-stream' };
  const scanned = await call('POST /scan', { profile: 'default', title: 'Test scan' }, stream);
  assert.match(scanned.text, '"submitted"');
  const [scanId = ''] = (await readdir(appliance.scansDir)).filter((one) => /^\d/u.test(one));
  await call(`GET /scans/${scanId}/events`, undefined, caller);

  for (const url of GETS) {
    const parameters: Record<string, string> = { scan_id: scanId, list: 'tags', page: '1' };
    const filled = url.replaceAll(/\{(\w+)\}/gu, (_, one: string) => parameters[one] ?? 'default');
    const query = url.startsWith('/metadata') ? '?profile=default' : '';
    for (const headers of [{}, caller, byCookie, operator, { ...caller, ...operator }]) {
      await call(`GET ${filled}${query}`, undefined, headers);
    }
  }
  const change = { password: first, new_password: second };
  const changed = await call('PUT /set-up/password', change, operator);
  assert.is(changed.status, 204);
  await call('PUT /set-up/password', { ...change, password: wrong }, operator);
  await call('DELETE /set-up/session', undefined, { Cookie: cookieOf(changed) });

  const own = path.join(appliance.directory, 'settings');
  const hash = JSON.parse(await readFile(path.join(own, 'operator.json'), 'utf8'));
  const secrets: readonly string[] = [
    ...Object.values(SENT),
    LOGIN.password,
    DMS_TOKEN,
    hash.hash,
    hash.session_key,
    ...[session, cookieOf(changed), byCookie.Cookie].map((one) => one.split('=')[1] ?? ''),
  ];
  const files = await filesBelow(appliance.directory);
  for (const file of files.filter((one) => !one.startsWith(own) && !isSampleDms(appliance, one))) {
    seen.push([file, await readFile(file, 'latin1')]);
  }
  for (const part of [appliance.service, appliance.runtime, appliance.processor]) {
    assert.ok(part.output().length > 100, `${part.name} logs at level trace`);
    seen.push([`the log of ${part.name}`, part.output()]);
  }
  seen.push(['command lines', commandLinesBelow()]);

  assert.ok(seen.length > 120, `only ${seen.length} texts`);
  for (const [where, text] of seen) {
    for (const secret of secrets) {
      assert.ok(secret.length > 8, 'a secret is empty');
      for (const form of formsOf(secret)) assert.not(text.includes(form), `${secret} in ${where}`);
    }
  }

  const texts = new Map<string, string>();
  for (const file of files.filter((one) => one.startsWith(own))) {
    assert.is((await stat(file)).mode & 0o777, 0o600, file);
    texts.set(path.relative(own, file), await readFile(file, 'utf8'));
  }
  for (const [file, text] of texts) {
    for (const secret of [first, second, wrong, code, token, LOGIN.password]) {
      assert.not(text.includes(secret), `${secret} in ${file}`);
    }
  }
  assert.is(texts.get('secrets/scan_api_token'), `${house}\n`);
  assert.is(texts.get('secrets/dms_api_token'), `${DMS_TOKEN}\n`);
});

/** The system on the other side keeps what it received. */
function isSampleDms({ directory }: Appliance, file: string): boolean {
  return file.startsWith(path.join(directory, 'dms'));
}

async function filesBelow(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name));
}
