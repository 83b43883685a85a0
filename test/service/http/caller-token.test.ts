import { mkdir, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { watchCallerToken, type CallerToken } from '../../../service/http/caller-token.ts';
import {
  createSecretReader,
  SecretError,
  type SecretReader,
} from '../../../service/paperless/secrets.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { startTestApp } from '../../support/test-app.ts';
import { assert, withFixture, within } from '../../support/suite.ts';

/** For what a test waits for, on a machine however busy. */
const EVENT_MS = 60_000;

interface Watched {
  readonly token: CallerToken;
  /** Lets so many looks end. */
  readonly looks: (count: number) => Promise<void>;
}

interface WatchOptions {
  /** In place of the secrets on disk. */
  readonly read?: SecretReader;
  readonly firstMs?: number;
}

const test = withFixture('the caller token', async (directory) => {
  const logged = capturedLog();
  const watched: CallerToken[] = [];
  return {
    directory,
    file: path.join(directory, 'scan_api_token'),
    logged,
    /** Watches with a short interval, and counts its looks. */
    watch: async ({ read, firstMs = EVENT_MS }: WatchOptions = {}): Promise<Watched> => {
      let seen = 0;
      let onLook = (): void => {};
      const readOnDisk = createSecretReader({ directory, environment: {} });
      const token = await watchCallerToken({
        readSecret: async (name) => {
          seen += 1;
          onLook();
          return (read ?? readOnDisk)(name);
        },
        secretsDir: directory,
        log: logged.log,
        lookEveryMs: 5,
        firstMs,
      });
      watched.push(token);
      const looks = (count: number): Promise<void> => {
        // One more begins only after the last one has ended, and the one under way may have read before the change.
        const until = seen + count + 2;
        const passed = new Promise<void>((resolve) => {
          onLook = () => void (seen >= until && resolve());
        });
        return within(EVENT_MS, passed, `${count} looks`);
      };
      return { token, looks };
    },
    close: async () => {
      for (const token of watched) token.close();
    },
  };
});

for (const [what, make, reason] of [
  ['empty', (file: string) => writeFile(file, ' \n'), /scan_api_token is empty$/],
  ['a directory', (file: string) => mkdir(file), /scan_api_token is a directory$/],
] as const) {
  test(`a file that is ${what} at first lets no caller in`, async ({ file, watch }) => {
    await make(file);
    const { token } = await watch();
    const required = token.required();
    assert.match(required.state === 'unreadable' ? required.reason : required.state, reason);
    const app = await startTestApp({ callerToken: token });
    const headers = { Authorization: 'Bearer ' };
    const { status, json } = await app.send({ path: '/profiles', headers });
    assert.equal([status, json?.['error']], [401, 'unauthorized']);
    assert.match(String(json?.['message']), /cannot be read now: .* is .*\. Correct the secret/);
    assert.is((await app.send({ path: '/health' })).status, 200);
    await app.close();
  });
}

for (const [what, damage] of [
  ['is emptied', (file: string) => writeFile(file, '')],
  ['is removed', (file: string) => rm(file)],
] as const) {
  test(`a token whose file ${what} stays required`, async ({ file, logged, watch }) => {
    await writeFile(file, 'old');
    const { token, looks } = await watch();
    await damage(file);
    await looks(5);
    assert.is(token.required().state, 'unreadable');
    const lines = logged.lines().filter(({ event }) => event === 'caller_token_unreadable');
    assert.is(lines.length, 1);
    await writeFile(file, 'new');
    await looks(1);
    assert.equal(token.required(), { state: 'readable', token: 'new' });
    assert.not.match(logged.text(), /"(?:old|new)"/);
  });
}

test('a directory that cannot be entered lets no caller in', async ({ directory, watch }) => {
  const { token } = await watch();
  const untilIs = async (state: string): Promise<void> => {
    while (token.required().state !== state) await wait(5);
  };
  await rm(directory, { recursive: true });
  await symlink(directory, directory);
  await within(EVENT_MS, untilIs('unreadable'));
  await rm(directory);
  await mkdir(directory);
  await within(EVENT_MS, untilIs('none'));
});

test('an unreadable file that then goes is no token', async ({ watch }) => {
  for (const failed of [new SecretError('the directory cannot be entered'), new Error('EIO')]) {
    const errors = [failed];
    const { token, looks } = await watch({
      read: () => {
        const error = errors.pop();
        return error ? Promise.reject(error) : Promise.resolve(undefined);
      },
    });
    assert.is(token.required().state, 'unreadable');
    await looks(2);
    assert.equal(token.required(), { state: 'none' });
  }
});

test('a token missing at one look only still counts', async ({ file, watch }) => {
  await writeFile(file, 'old');
  const shortage = Object.assign(new Error('EMFILE'), { code: 'EMFILE' });
  const answers = ['old', undefined, 'old', undefined, 'old', shortage, shortage, shortage, 'old'];
  const seen: string[] = [];
  const { token, looks } = await watch({
    read: async () => {
      seen.push(token?.required().state ?? 'none');
      const answer = answers.length > 1 ? answers.shift() : answers[0];
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  await looks(10);
  assert.not.ok(seen.slice(1).includes('unreadable'), seen.join());
});

test('a disk that hangs costs one look, no answer, and no start', async ({ watch }) => {
  let asked = 0;
  const hang = (): Promise<never> => new Promise(() => void (asked += 1));
  const { token } = await watch({ read: hang, firstMs: 100 });
  assert.is(asked, 1);
  assert.is(token.required().state, 'unreadable');
});

test('a rewrite lets no caller in, 500 times', async ({ file, watch }) => {
  await writeFile(file, 'token-0');
  const { token, looks } = await watch();
  const seen = new Set<string>();
  for (let rotation = 1; rotation <= 500; rotation += 1) {
    await writeFile(file, `token-${rotation}`);
    seen.add(token.required().state);
  }
  assert.not.ok(seen.has('none'));
  await looks(1);
  assert.equal(token.required(), { state: 'readable', token: 'token-500' });
});
