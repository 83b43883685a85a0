import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import {
  createSecretReader,
  SecretError,
  type SecretReader,
} from '../../../service/paperless/secrets.ts';
import { watchCallerToken, type CallerToken } from '../../../service/http/caller-token.ts';
import { capturedLog, type CapturedLog } from '../../support/captured-log.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../../support/temporary-directory.ts';
import { startTestApp } from '../../support/test-app.ts';
import { within } from '../../support/within.ts';

interface Context {
  directory: TemporaryDirectory;
  file: string;
  logged: CapturedLog;
}

const test = suite<Context>('the caller token');

test.before.each(async (context) => {
  context.directory = await temporaryDirectory();
  context.file = path.join(context.directory.path, 'scan_api_token');
  context.logged = capturedLog();
});

test.after.each(({ directory }) => directory.remove());

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

interface Watched {
  readonly token: CallerToken;
  /** Lets so many looks end. */
  readonly looks: (count: number) => Promise<void>;
}

/** Watches with a short interval, and counts its looks. */
async function watch(
  { directory, logged }: Context,
  environment: Record<string, string> = {},
  wrap: (read: SecretReader) => SecretReader = (read) => read,
  firstMs = EVENT_MS,
): Promise<Watched> {
  let seen = 0;
  let onLook = (): void => {};
  const read = wrap(createSecretReader({ directory: directory.path, environment }));
  const readSecret: SecretReader = async (name) => {
    seen += 1;
    onLook();
    return read(name);
  };
  const options = {
    readSecret,
    secretsDir: directory.path,
    log: logged.log,
    lookEveryMs: 5,
    firstMs,
  };
  const token = await watchCallerToken(options);
  const looks = (count: number): Promise<void> => {
    // One more begins only after the last one has ended, and the one under way may have read before the change.
    const until = seen + count + 2;
    const passed = new Promise<void>((resolve) => {
      onLook = () => void (seen >= until && resolve());
    });
    return within(EVENT_MS, passed, `${count} looks`);
  };
  return { token, looks };
}

test('a file counts before the variable', async (context) => {
  const variable = { SCAN_API_TOKEN: 'from-variable' };
  const first = await watch(context, variable);
  assert.equal(first.token.required(), { state: 'readable', token: 'from-variable' });
  first.token.close();
  await writeFile(context.file, 'from-file\n');
  const second = await watch(context, variable);
  assert.equal(second.token.required(), { state: 'readable', token: 'from-file' });
  second.token.close();
});

test('a new token replaces the old one without a restart', async (context) => {
  await writeFile(context.file, 'old');
  const { token, looks } = await watch(context);
  await writeFile(context.file, 'new');
  await looks(1);
  assert.equal(token.required(), { state: 'readable', token: 'new' });
  token.close();
});

const AT_START: [what: string, make: (file: string) => Promise<unknown>, reason: RegExp][] = [
  ['empty', (file) => writeFile(file, ' \n'), /scan_api_token is empty$/],
  ['a directory', (file) => mkdir(file), /scan_api_token is a directory$/],
  ['too large', (file) => writeFile(file, 'x'.repeat(5000)), /too large for a secret$/],
];

for (const [what, make, reason] of AT_START) {
  test(`a file that is ${what} at the start lets no caller in`, async (context) => {
    await make(context.file);
    const { token } = await watch(context);
    const required = token.required();
    assert.is(required.state, 'unreadable');
    assert.match(required.state === 'unreadable' ? required.reason : '', reason);
    token.close();
  });
}

for (const [what, damage] of [
  ['is emptied', (file: string) => writeFile(file, '')],
  ['is removed', (file: string) => rm(file)],
] as const) {
  test(`a token whose file ${what} stays required, is logged once, and comes back`, async (context) => {
    await writeFile(context.file, 'old');
    const { token, looks } = await watch(context);
    await damage(context.file);
    await looks(5);
    assert.is(token.required().state, 'unreadable');
    const lines = context.logged.lines().filter(({ event }) => event === 'caller_token_unreadable');
    assert.is(lines.length, 1);
    await writeFile(context.file, 'new');
    await looks(1);
    assert.equal(token.required(), { state: 'readable', token: 'new' });
    assert.not.match(context.logged.text(), /"(?:old|new)"/);
    token.close();
  });
}

test('a directory that cannot be entered lets no caller in, and every caller when it can be and holds no token', async (context) => {
  const { path: directory } = context.directory;
  const { token } = await watch(context);
  const untilIs = async (state: string): Promise<void> => {
    while (token.required().state !== state) await wait(5);
  };
  await rm(directory, { recursive: true });
  await symlink(directory, directory);
  await within(EVENT_MS, untilIs('unreadable'));
  await rm(directory);
  await mkdir(directory);
  await within(EVENT_MS, untilIs('none'));
  token.close();
});

test('what could not be read, and is not there a moment later, is not taken for a token', async (context) => {
  for (const failed of [new SecretError('the directory cannot be entered'), new Error('EIO')]) {
    const errors = [failed];
    const { token, looks } = await watch(context, {}, () => () => {
      const error = errors.pop();
      return error ? Promise.reject(error) : Promise.resolve(undefined);
    });
    assert.is(token.required().state, 'unreadable');
    await looks(2);
    assert.equal(token.required(), { state: 'none' });
    token.close();
  }
});

test('a token that is missing at one look only still counts', async (context) => {
  await writeFile(context.file, 'old');
  const answers = ['old', undefined, 'old', undefined, 'old'];
  const seen: string[] = [];
  const { token, looks } = await watch(context, {}, () => async () => {
    seen.push(token?.required().state ?? 'none');
    return answers.length > 1 ? answers.shift() : answers[0];
  });
  await looks(6);
  assert.not.ok(seen.slice(1).includes('unreadable'), seen.join());
  token.close();
});

test('a disk that hangs costs one look, no answer, and no start', async (context) => {
  let asked = 0;
  const hang = (): Promise<never> => new Promise(() => void (asked += 1));
  const { token } = await watch(context, {}, () => hang, 100);
  assert.is(asked, 1);
  assert.is(token.required().state, 'unreadable');
  token.close();
});

test('while the file is rewritten 500 times, no caller without a token is let in', async (context) => {
  await writeFile(context.file, 'token-0');
  const { token, looks } = await watch(context);
  const app = await startTestApp({ callerToken: token });
  const rotated = new AbortController();
  const statuses = new Map<number, number>();
  const ask = async (): Promise<void> => {
    while (!rotated.signal.aborted) {
      const { status } = await app.send({ path: '/profiles' });
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  const asking = Array.from({ length: 8 }, ask);
  for (let rotation = 1; rotation <= 500; rotation += 1) {
    await writeFile(context.file, `token-${rotation}`);
  }
  rotated.abort();
  await Promise.all(asking);
  assert.equal([...statuses.keys()], [401]);
  await looks(1);
  const headers = { Authorization: 'Bearer token-500' };
  assert.is((await app.send({ path: '/profiles', headers })).status, 200);
  token.close();
  await app.close();
});

test('while the token cannot be read, callers hear why and what to do', async (context) => {
  await writeFile(context.file, '');
  const { token } = await watch(context);
  const app = await startTestApp({ callerToken: token });
  const headers = { Authorization: 'Bearer ' };
  const { status, json } = await app.send({ path: '/profiles', headers });
  assert.is(status, 401);
  assert.is(json?.['error'], 'unauthorized');
  assert.match(String(json?.['message']), /cannot be read now: .* is empty\. Correct the secret/);
  assert.is((await app.send({ path: '/health' })).status, 200);
  token.close();
  await app.close();
});

test.run();
