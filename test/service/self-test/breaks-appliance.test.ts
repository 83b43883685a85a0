import { EventEmitter, once } from 'node:events';
import { createServer } from 'node:http';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDirectoryLocks, lockDirectory } from '../../../service/archive/directory-lock.ts';
import { createSecretReader } from '../../../service/paperless/secrets.ts';
import { watchCallerToken } from '../../../service/http/caller-token.ts';
import { Failure } from '../../../helpers/failure.ts';
import { createSelfTest } from '../../../service/self-test/self-test.ts';
import { createProcessorClient } from '../../../service/processor/processor-client.ts';
import { loadProfiles } from '../../../service/profiles/load.ts';
import { profileSchema } from '../../../service/profiles/schema.ts';
import { mountTmpfs } from '../../fault/storage-support/tmpfs.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { createSelfTestBench, TOKEN, type SelfTestBench } from './self-test-bench.ts';

const test = withFixture<SelfTestBench>(
  suite('what the self-test says of a broken appliance'),
  createSelfTestBench,
);

for (const [what, text, expected] of [
  [
    'a mistake',
    'resolution: 300dpi\ndestinations: []',
    /a\.yaml is not loaded\. "resolution" must be a whole number.*Correct the file/,
  ],
  [
    'a language which the processor lacks',
    'processing: {languages: [chi_sim]}\ndestinations: [{kind: dms, base_url: http://dms}]',
    /names chi_sim, but the processor has eng\. Install it \(OCR_LANGUAGES in \.env, or the package tesseract-ocr-chi-sim\), or correct/,
  ],
] as const) {
  test(`a profile with ${what}, and none that is right`, async ({ directory, problems }) => {
    await writeFile(path.join(directory, 'a.yaml'), `name: a\n${text}\n`);
    const loaded = await loadProfiles(directory, profileSchema({ output_dir: '/scans' }), ['eng']);
    const found = await problems({
      profiles: {
        list: () => [...loaded.profiles.values()],
        isShipped: () => false,
        problems: () => loaded.problems,
        events: new EventEmitter(),
      },
    });
    assert.match(found, /^fail profiles: No profile is loaded: each file has a mistake/);
    assert.match(found.split('\n')[1] ?? '', expected);
  });
}

test('a clock that was never set', async ({ problems }) => {
  const found = await problems({ now: () => new Date(0) });
  assert.match(
    found,
    /^fail clock: The clock says 1970-01-01.*in the past\. Set it, or let NTP through/,
  );
});

test('a token that is missing, empty, more than a token, or a directory', async ({
  problems,
  secretFile,
}) => {
  for (const [damage, expected] of [
    [() => rm(secretFile), 'There is no API token. Create the secret dms_api_token or set'],
    [() => writeFile(secretFile, ' \n'), 'There is no API token.'],
    [
      () => writeFile(secretFile, `Token ${TOKEN}`),
      'The secret dms_api_token holds more than a token. Store only',
    ],
    [
      () => rm(secretFile).then(() => mkdir(secretFile)),
      'The token cannot be read. Correct its file. (',
    ],
  ] as const) {
    await damage();
    const found = await problems();
    assert.ok(found.startsWith(`fail secrets.token: ${expected}`), found);
  }
});

test('a caller token that can be guessed', async ({ problems }) => {
  const callerToken = { required: () => ({ state: 'readable', token: '123456' }) as const };
  const found = await problems({ callerToken });
  assert.match(found, /^warn secrets\.caller_token: The caller token is short/);
});

test('a caller token that was emptied', async ({ directory, problems }) => {
  const secretsDir = path.join(directory, 'secrets');
  await writeFile(path.join(secretsDir, 'scan_api_token'), '');
  const callerToken = await watchCallerToken({
    readSecret: createSecretReader({ directory: secretsDir, environment: {} }),
    secretsDir,
    log: capturedLog().log,
  });
  const found = await problems({ callerToken });
  callerToken.close();
  assert.match(
    found,
    /^fail secrets\.caller_token: The caller token cannot be read.*is empty\)\. Correct the secret/,
  );
});

test('a directory for scans that is a file', async ({ directory, problems, profile }) => {
  const file = path.join(directory, 'file');
  await writeFile(file, '');
  const found = await problems({}, profile({ paths: { output_dir: file } }));
  assert.match(found, /^fail storage\.writable: .*file is not a directory\. Move it away/);
});

test('a disk that is full, nearly full, or read-only', async ({ problems, profile }) => {
  const disk = await mountTmpfs('400m');
  const of = profile({ paths: { output_dir: disk.path }, max_pages: 200 });
  // Without the time that a disk takes, which is that of this machine.
  const found = (change: object = {}, other = of): Promise<string> =>
    problems({ syncSpeed: undefined, ...change }, other);
  try {
    disk.leave(0);
    const full = await found();
    assert.match(full, /^fail storage\.free: Only 0 MB are free in .* Free some space/);
    assert.match(full, /fail storage\.sync: A file in .* cannot be written \(ENOSPC\)/);
    disk.free();
    // As a service leaves it that was killed.
    await writeFile(path.join(disk.path, '.self-test'), 'x');
    const some = await found();
    assert.match(
      some,
      /^warn storage\.free: There is room for about 3\d pages in .* a profile allows 200 per scan\. Free/,
    );
    assert.equal(await readdir(disk.path), []);
    await disk.setReadOnly(true);
    const readOnly = await found();
    const inside = path.join(disk.path, 'not', 'there');
    const nowhere = await found({}, profile({ paths: { output_dir: inside } }));
    await disk.setReadOnly(false);
    assert.match(nowhere, /^fail storage\.writable: .* does not exist.*cannot make it in .*EROFS/);
    assert.match(
      readOnly,
      /^fail storage\.writable: .* read-only file system: mount it writable\.$/,
    );
  } finally {
    await disk.close();
  }
});

test('a second service on the same directory', async ({ problems, root }) => {
  const release = await lockDirectory(root);
  const locks = createDirectoryLocks(capturedLog().log);
  const found = await problems({ checkOwner: (directory) => locks.check(directory) });
  await release();
  assert.match(found, /^fail storage\.owner: Another scan service writes to .* Stop it/);
  assert.is(await problems({ checkOwner: (directory) => locks.check(directory) }), '');
});

test('a processor that does not run, is something else, or lacks a language', async ({
  problems,
  profile,
}) => {
  const { log } = capturedLog();
  const at = (url: string): object => ({
    processor: createProcessorClient({ baseUrl: url, log }),
    processorUrl: url,
  });
  assert.match(
    await problems(at('http://127.0.0.1:1')),
    /^fail processor: The processor .*127\.0\.0\.1:1/,
  );
  const other = createServer((_, response) => void response.end('hello'));
  other.listen(0, '127.0.0.1');
  await once(other, 'listening');
  const address = other.address();
  const port = typeof address === 'object' ? address?.port : 0;
  assert.match(await problems(at(`http://127.0.0.1:${port}`)), /^fail processor: /);
  other.close();
  const processing = { languages: ['eng', 'qaa'] };
  assert.match(
    await problems({}, profile({ processing })),
    /^fail processor\.languages: The processor cannot read qaa, which profile "default" names\. Install/,
  );
  assert.is(await problems({}, profile({ processing: { ...processing, ocr: false } })), '');
});

const hangs = (): Promise<never> => new Promise(() => {});

test('what does not answer in time is unknown, and the rest is reported', async ({ checks }) => {
  const found = await checks({
    limitMs: 500,
    scanner: { health: hangs, checkScan: hangs },
    processor: { health: hangs },
  });
  const unknown = found.filter(({ status }) => status === 'unknown').map(({ id }) => id);
  assert.equal(unknown, [
    'runtime',
    'scanner',
    'scanner.options',
    'processor',
    'processor.languages',
  ]);
  assert.ok(found.some(({ id, status }) => id === 'storage.writable' && status === 'ok'));
});

test('a scanner that is there and does not answer is a problem, not something unknown', async ({
  problems,
}) => {
  const checkScan = (_: unknown, signal: AbortSignal): Promise<never> =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Failure('timeout', 'It was stopped.')));
    });
  const found = await problems({ scannerMs: 50, scanner: { health: async () => {}, checkScan } });
  assert.match(found, /^warn scanner: The scanner did not answer within [\d.]+ s\. Wake it/);
});

test('a scanner that a scan of ours uses is not looked at, and nothing is wrong', async ({
  checks,
  problems,
}) => {
  const facts = { busy_with: '20261121T063000Z-8f3a1c' };
  const checkScan = (): Promise<never> =>
    Promise.reject(new Failure('scanner_busy', 'It is in use.', { facts }));
  const change = { scanner: { health: async () => {}, checkScan } };
  assert.is(await problems(change), '');
  const [scanner, options] = (await checks(change)).filter(({ id }) => id.startsWith('scanner'));
  assert.is(scanner?.message, 'Not checked: a scan is running.');
  assert.is(options?.message, 'Not checked: see scanner auto.');
});

test('the last result is given until a new one is asked for, or the profiles are loaded again', async ({
  parts,
}) => {
  let looks = 0;
  const events = new EventEmitter<{ loaded: [] }>();
  const healthy = parts();
  const selfTest = createSelfTest({
    ...healthy,
    profiles: { ...healthy.profiles, events },
    scanner: {
      health: async () => {},
      checkScan: async ({ device }) => ((looks += 1), { device }),
    },
  });
  const [first, meanwhile] = await Promise.all([selfTest(false), selfTest(true)]);
  assert.is(first, meanwhile, 'they share one look');
  assert.is(await selfTest(false), first);
  assert.is(looks, 1, 'no page that is opened makes another look');
  assert.is.not(await selfTest(true), first);
  assert.is(looks, 2);
  events.emit('loaded');
  assert.is.not((await selfTest(false)).looked_at, undefined);
  assert.is(looks, 3);
});

test('a processor that is not there is starting at first, and missing later', async ({
  problems,
}) => {
  const health = (): Promise<never> =>
    Promise.reject(new Failure('processor_unreachable', 'The processor cannot be reached.'));
  const after = (seconds: number): Promise<string> =>
    problems({ processor: { health }, upSeconds: () => seconds });
  assert.match(await after(5), /^warn processor: The processor is starting[^\n]*$/);
  assert.match(await after(600), /^fail processor: The processor cannot be reached/);
});

test.run();
