import { once } from 'node:events';
import { createServer } from 'node:http';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { createDirectoryLocks, lockDirectory } from '../../../service/archive/directory-lock.ts';
import { createSecretReader } from '../../../service/paperless/secrets.ts';
import { watchCallerToken } from '../../../service/http/caller-token.ts';
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

test('a profile with a mistake in it, and none that is right', async ({ directory, problems }) => {
  const profiles = path.join(directory, 'profiles');
  await mkdir(profiles);
  await writeFile(path.join(profiles, 'a.yaml'), 'name: a\nresolution: 300dpi\ndestinations: []\n');
  const loaded = await loadProfiles(profiles, profileSchema({ output_dir: '/scans' }));
  const found = await problems({
    profiles: { list: () => [...loaded.profiles.values()], problems: () => loaded.problems },
  });
  assert.match(found, /^fail profiles: No profile is loaded\. Put one into/);
  assert.match(
    found,
    /fail profiles\.file: a\.yaml is not loaded\. "resolution" must be a whole number.*Correct the file/,
  );
});

test('a profile that names a language which the processor lacks', async ({
  directory,
  problems,
}) => {
  const profiles = path.join(directory, 'profiles');
  await mkdir(profiles);
  await writeFile(
    path.join(profiles, 'a.yaml'),
    'name: a\nprocessing: {languages: [chi_sim]}\ndestinations: [{kind: dms, base_url: http://dms}]\n',
  );
  const loaded = await loadProfiles(profiles, profileSchema({ output_dir: '/scans' }), ['eng']);
  const found = await problems({
    profiles: { list: () => [...loaded.profiles.values()], problems: () => loaded.problems },
  });
  assert.match(
    found,
    /names chi_sim, but the processor has eng\. Install it \(OCR_LANGUAGES in \.env, or the package tesseract-ocr-chi-sim\), or correct/,
  );
});

test('a clock that was never set', async ({ problems }) => {
  const found = await problems({ now: () => new Date(0) });
  assert.match(
    found,
    /^fail clock: The clock says 1970-01-01.*in the past\. Set it, or let NTP through/,
  );
});

test('a token that is missing, empty, a directory, or more than a token', async ({
  problems,
  secretFile,
}) => {
  await rm(secretFile);
  assert.match(
    await problems(),
    /^fail secrets\.token: There is no API token\. Create the secret dms_api_token/,
  );
  await writeFile(secretFile, ' \n');
  assert.match(await problems(), /^fail secrets\.token: There is no API token/);
  await writeFile(secretFile, `Token ${TOKEN}`);
  assert.match(
    await problems(),
    /^fail secrets\.token: The secret dms_api_token holds more than a token\. Store only/,
  );
  await rm(secretFile);
  await mkdir(secretFile);
  assert.match(
    await problems(),
    /^fail secrets\.token: The token cannot be read\. Correct its file\..*is a directory/,
  );
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
  const isFile = await problems({}, profile({ paths: { output_dir: file } }));
  assert.match(isFile, /^fail storage\.writable: /);
});

test('a disk that is full, nearly full, or read-only', async ({ problems, profile }) => {
  const disk = await mountTmpfs('400m');
  try {
    const of = profile({ paths: { output_dir: disk.path }, max_pages: 200 });
    disk.leave(0);
    const full = await problems({}, of);
    assert.match(full, /^fail storage\.free: There is no room for a page in .* Free some space/);
    assert.match(full, /fail storage\.sync: A file in .* cannot be written \(ENOSPC\)/);
    disk.free();
    const some = await problems({}, of);
    assert.match(
      some,
      /^warn storage\.free: There is room for about 3\d pages in .* a profile allows 200 per scan\. Free/,
    );
    assert.equal(await readdir(disk.path), []);
    await disk.setReadOnly(true);
    const readOnly = await problems({}, of);
    const inside = path.join(disk.path, 'not', 'there');
    const nowhere = await problems({}, profile({ paths: { output_dir: inside } }));
    await disk.setReadOnly(false);
    assert.match(nowhere, /^fail storage\.writable: .* does not exist.*cannot make it in .*EROFS/);
    assert.match(
      readOnly,
      /^fail storage\.writable: .* read-only file system\. Mount it writable\.$/,
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
  const german = profile({ processing: { languages: ['eng', 'deu'] } });
  assert.match(
    await problems({}, german),
    /^fail processor\.languages: The processor cannot read deu, which profile "default" names\. Install/,
  );
});

test('what does not answer in time is unknown, and the rest is told', async ({ checks }) => {
  const hangs = (): Promise<never> => new Promise(() => {});
  const found = await checks({
    limitMs: 1500,
    syncSpeed: () => Promise.resolve(1),
    scanner: { health: hangs, checkScan: hangs },
    processor: { health: hangs },
  });
  const unknown = found.filter(({ status }) => status === 'unknown').map(({ id }) => id);
  assert.equal(unknown.slice(0, 2), ['scanner', 'processor']);
  assert.ok(found.some(({ id, status }) => id === 'storage.writable' && status === 'ok'));
});

test.run();
