import { readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createWrongTokens } from '../../../service/http/wrong-tokens.ts';
import { createOperator, setPassword, type Operator } from '../../../service/operator/operator.ts';
import { SESSION_MS } from '../../../service/operator/session.ts';
import { createOwnFiles } from '../../../service/settings/own-files.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { assert, failure, withFixture } from '../../support/suite.ts';

const PASSWORD = 'a house by the sea';
const ADDRESS = '192.168.1.20';

const test = withFixture('the operator password', async (directory) => {
  const files = createOwnFiles(path.join(directory, 'settings'));
  let now = Date.UTC(2026, 10, 27);
  const clock = (): number => now;
  const open = (): Operator =>
    createOperator({ files, brake: createWrongTokens(clock, 'passwords'), now: clock });
  return {
    files,
    file: files.pathOf('operator.json'),
    open,
    operator: open(),
    pass: (ms: number) => void (now += ms),
  };
});

const mayClaim = async (): Promise<boolean> => true;

test('can be claimed by only one of several callers, even in two processes', async ({
  operator,
  open,
}) => {
  const other = open();
  const claims = [operator, other, operator, other].map((one, number) =>
    one.claim(`password of ${number}`, mayClaim),
  );
  const claimed = await Promise.allSettled(claims);
  const won = claimed.flatMap(({ status }, index) => (status === 'fulfilled' ? [index] : []));
  assert.is(won.length, 1);
  for (const { status, reason } of claimed as PromiseRejectedResult[]) {
    if (status === 'rejected') assert.is(Object(reason)['code'], 'set_up_closed');
  }
  assert.ok(await operator.logIn(`password of ${won[0]}`, ADDRESS));
  await failure('set_up_closed', operator.claim(PASSWORD, mayClaim));
});

test('cannot be claimed if the appliance is not new, or no longer new after hashing', async ({
  operator,
}) => {
  await failure(
    'set_up_closed',
    operator.claim(PASSWORD, async () => false),
  );
  let asked = 0;
  await failure(
    'set_up_closed',
    operator.claim(PASSWORD, async () => (asked += 1) === 1),
  );
  assert.is(await operator.state(), 'none');
});

test('is stored as a hash that only the service can read', async ({ operator, file }) => {
  const session = await operator.claim(PASSWORD, mayClaim);
  const text = await readFile(file, 'utf8');
  assert.not.match(text, PASSWORD);
  assert.not.match(text, session);
  assert.is((await stat(file)).mode & 0o777, 0o600);
  assert.is(await operator.state(), 'set');
});

test('is the same however a keyboard composes its letters', async ({ operator }) => {
  await operator.claim('Käse im Kühlschrank'.normalize('NFC'), mayClaim);
  assert.ok(await operator.logIn('Käse im Kühlschrank'.normalize('NFD'), ADDRESS));
});

test('begins sessions that survive a restart and end after a time or with a new password', async ({
  operator,
  open,
  pass,
}) => {
  const first = await operator.claim(PASSWORD, mayClaim);
  assert.ok(await open().isLoggedIn(first));
  pass(SESSION_MS - 1);
  assert.ok(await operator.isLoggedIn(first));
  pass(1);
  assert.not(await operator.isLoggedIn(first));
  const second = await operator.logIn(PASSWORD, ADDRESS);
  const third = await operator.change(PASSWORD, 'another one', ADDRESS);
  assert.not(await operator.isLoggedIn(second));
  assert.ok(await operator.isLoggedIn(third));
  assert.ok(operator.isReplaced(second), 'not too old, so that the password was changed');
  for (const other of [first, '', 'x', `${second}x`]) assert.not(operator.isReplaced(other));
  await failure('unauthorized', operator.logIn(PASSWORD, ADDRESS));
  assert.ok(await operator.logIn('another one', ADDRESS));
});

test('begins sessions that cannot be forged or prolonged', async ({ operator }) => {
  const session = await operator.claim(PASSWORD, mayClaim);
  const [end = '', signature = ''] = session.split('.');
  const forged = [
    '',
    '.',
    end,
    `${end}.`,
    `${Number(end) + 1}.${signature}`,
    `${end}.${'A'.repeat(43)}`,
    `${end}.${signature}x`,
    `${end}.${signature}.${signature}`,
    `0${end}.${signature}`,
    'x'.repeat(8000),
  ];
  for (const value of forged) assert.not(await operator.isLoggedIn(value), value);
});

test('can be guessed ten times a minute per address, even at once or with the same guess', async ({
  operator,
  pass,
}) => {
  await operator.claim(PASSWORD, mayClaim);
  const codes: string[] = [];
  for (let round = 0; round < 25; round += 1) {
    const given = ['the same', `a ${round}`, 'the same', `b ${round}`];
    const guesses = given.map((guess) => operator.logIn(guess, ADDRESS));
    for (const { reason } of (await Promise.allSettled(guesses)) as PromiseRejectedResult[])
      codes.push(Object(reason)['code']);
  }
  assert.is(codes.length, 100);
  assert.is(codes.filter((code) => code === 'unauthorized').length, 10);
  assert.is(codes.filter((code) => code === 'too_many_requests').length, 90);
  await failure('too_many_requests', operator.logIn(PASSWORD, ADDRESS));
  await failure('too_many_requests', operator.change(PASSWORD, 'another one', ADDRESS));
  const flood = Promise.allSettled(
    Array.from({ length: 30 }, (_, one) =>
      one % 2 === 0 ? operator.logIn('the same', ADDRESS) : operator.claim('mine now', mayClaim),
    ),
  );
  assert.ok(await operator.logIn(PASSWORD, '192.168.1.21'));
  for (const { reason } of (await flood) as PromiseRejectedResult[])
    assert.match(String(Object(reason)['code']), /^(?:too_many_requests|set_up_closed)$/);
  pass(60_000);
  assert.ok(await operator.logIn(PASSWORD, ADDRESS));
});

test('begins sessions that end when their owner logs out, and not the others', async ({
  operator,
  pass,
}) => {
  const first = await operator.claim(PASSWORD, mayClaim);
  pass(1);
  const second = await operator.logIn(PASSWORD, ADDRESS);
  await operator.logOut('');
  await operator.logOut(`${first}x`);
  assert.ok(await operator.isLoggedIn(first));
  await operator.logOut(first);
  await operator.logOut(first);
  assert.not(await operator.isLoggedIn(first));
  assert.ok(await operator.isLoggedIn(second));
  pass(SESSION_MS);
  const third = await operator.logIn(PASSWORD, ADDRESS);
  await operator.logOut(third);
  assert.not(await operator.isLoggedIn(third));
});

test('is checked for another address while one address floods it with guesses', async ({
  operator,
}) => {
  await operator.claim(PASSWORD, mayClaim);
  const flood = Promise.allSettled(
    Array.from({ length: 30 }, (_, one) => operator.logIn(`guess ${one}`, ADDRESS)),
  );
  assert.ok(await operator.logIn(PASSWORD, '192.168.1.21'));
  const codes = ((await flood) as PromiseRejectedResult[]).map(
    ({ reason }) => Object(reason)['code'],
  );
  assert.is(codes.filter((code) => code === 'unauthorized').length, 4);
  assert.is(codes.filter((code) => code === 'too_many_requests').length, 26);
});

test('is hashed for a few callers at once; others are refused', async ({ operator }) => {
  await operator.claim(PASSWORD, mayClaim);
  const calls = Array.from({ length: 30 }, (_, one) => operator.logIn(PASSWORD, `10.0.0.${one}`));
  const answered = await Promise.allSettled(calls);
  const isLetIn = answered.map(({ status }) => status === 'fulfilled');
  assert.ok(isLetIn.filter(Boolean).length <= 10, String(isLetIn));
  for (const { status, reason } of answered as PromiseRejectedResult[])
    if (status === 'rejected') assert.is(Object(reason)['code'], 'too_many_requests');
});

for (const [what, spoil] of Object.entries({
  'not JSON': (file: string) => writeFile(file, '{'),
  empty: (file: string) => writeFile(file, ''),
  'without a hash': (file: string) => writeFile(file, '{"salt":"AAAA"}'),
  'a link': (file: string) => symlink('/etc/passwd', file),
  'a pipe': (file: string) => makePipe(file),
})) {
  test(`admits nobody and can never be claimed if its file is ${what}`, async (given) => {
    const { operator, files, file } = given;
    await files.write('settings.json', '{}');
    await spoil(file);
    assert.is(await operator.state(), 'unreadable');
    await failure('unauthorized', operator.claim(PASSWORD, mayClaim));
    await failure('unauthorized', operator.logIn(PASSWORD, ADDRESS));
    await failure('unauthorized', operator.isLoggedIn('1.x'));
    await setPassword(files, PASSWORD);
    assert.ok(await operator.logIn(PASSWORD, ADDRESS));
  });
}
