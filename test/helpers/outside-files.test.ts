import { once } from 'node:events';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { errorCode, messageOf } from '../../helpers/error-code.ts';
import { createFileReader, withTimeout } from '../../helpers/outside-files.ts';
import { UnreadableFile } from '../../helpers/plain-file.ts';
import { makePipe } from '../support/make-pipe.ts';
import { assert, EVENT_MS, inDirectory, rejection, within } from '../support/suite.ts';

const MAX_BYTES = 1000;

const test = inDirectory('files of others');

const read = (file: string): Promise<string> => createFileReader({ maxBytes: MAX_BYTES })(file);

test('a regular file is read as text, even through links', async ({ file }) => {
  await writeFile(file('plain'), 'größer\n');
  await symlink('plain', file('link'));
  await symlink('link', file('link-to-link'));
  assert.is(await read(file('link-to-link')), 'größer\n');
  assert.is(await read('/proc/sys/kernel/ostype'), 'Linux\n', 'a file of /proc has no size');
});

test('a file may be as large as the limit, but no larger', async ({ file }) => {
  await writeFile(file('full'), 'x'.repeat(MAX_BYTES));
  await writeFile(file('large'), 'x'.repeat(MAX_BYTES + 1));
  assert.is((await read(file('full'))).length, MAX_BYTES);
  for (const large of [file('large'), '/proc/cpuinfo'])
    await assertUnreadable(large, 'EFBIG', 'is larger than 1000 bytes');
});

async function assertUnreadable(file: string, code: string, reason: string): Promise<void> {
  const error = await within(EVENT_MS, rejection(read(file)), `an answer for ${file}`);
  assert.instance(error, UnreadableFile);
  assert.equal([errorCode(error), messageOf(error)], [code, reason]);
}

test('anything but a regular file is named, and nothing waits for a writer', async ({ file }) => {
  await makePipe(file('pipe'));
  await symlink('pipe', file('link'));
  await mkdir(file('directory'));
  for (const pipe of ['pipe', 'link'])
    await assertUnreadable(file(pipe), 'EFTYPE', 'is a named pipe, not a plain file');
  await assertUnreadable('/dev/zero', 'EFTYPE', 'is a device, not a plain file');
  await assertUnreadable(file('directory'), 'EISDIR', 'is a directory');
});

test('a socket, a loop of links and a missing file report the error of the system', async ({
  file,
}) => {
  const server = createServer().listen(file('socket'));
  await once(server, 'listening');
  await symlink('loop', file('loop'));
  const codes = [];
  for (const name of ['socket', 'loop', 'missing']) {
    const error = await rejection(read(file(name)));
    codes.push(errorCode(error));
  }
  server.close();
  assert.equal(codes, ['ENXIO', 'ELOOP', 'ENOENT']);
});

/** A time limit so short that every call times out. */
const HASTY_MS = 50;

function hangingDisk(): {
  readonly look: (file: string) => Promise<string>;
  readonly asked: readonly string[];
  readonly answer: () => void;
} {
  const asked: string[] = [];
  const answered = Promise.withResolvers<void>();
  return {
    asked,
    answer: answered.resolve,
    look: async (file) => {
      asked.push(file);
      await answered.promise;
      return `content of ${file}`;
    },
  };
}

test('a hanging file is read once, however many callers give up', async () => {
  const { look, asked, answer } = hangingDisk();
  const patient = withTimeout(look, HASTY_MS);
  for (let call = 0; call < 5; call += 1) {
    const errors = await Promise.all([rejection(patient('/a/1')), rejection(patient('/a/1'))]);
    for (const error of errors) assert.match(String(error), /did not answer within 0\.05 s/);
  }
  assert.equal(asked, ['/a/1']);
  answer();
  assert.is(await patient('/a/1'), 'content of /a/1');
  assert.is(await patient('/a/1'), 'content of /a/1');
  assert.equal(asked, ['/a/1', '/a/1'], 'an answer is for those who waited for it');
});

test('a hanging directory blocks two calls, but no other directory', async () => {
  const { look, asked, answer } = hangingDisk();
  const patient = withTimeout(
    async (file) => (path.dirname(file) === '/b' ? 'there' : look(file)),
    HASTY_MS,
  );
  const files = Array.from({ length: 20 }, (_, number) => `/a/${number}`);
  await Promise.all(files.map((file) => rejection(patient(file))));
  assert.equal(asked, ['/a/0', '/a/1']);
  assert.is(await patient('/b/1'), 'there');
  answer();
  assert.is(await patient('/a/19'), 'content of /a/19');
});

test('queued files do not time out while the directory answers', async () => {
  let reading = 0;
  const patient = withTimeout(async (file) => {
    reading += 1;
    await sleep(HASTY_MS / 2);
    reading -= 1;
    return file;
  }, HASTY_MS);
  const files = Array.from({ length: 20 }, (_, number) => `/a/${number}`);
  assert.equal(await Promise.all(files.map(patient)), files);
  assert.is(reading, 0);
});

test('a hanging file times out although others in its directory answer', async () => {
  const { look, answer } = hangingDisk();
  const patient = withTimeout(async (file) => (file === '/a/hung' ? look(file) : file), HASTY_MS);
  const stop = new AbortController();
  const late = rejection(patient('/a/hung')).finally(() => stop.abort());
  const others = (async () => {
    while (!stop.signal.aborted) await patient('/a/other').then(() => sleep(1));
  })();
  assert.match(String(await within(EVENT_MS, late, 'the late file')), 'did not answer');
  await others;
  answer();
});
