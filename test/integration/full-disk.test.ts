import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, runProgram } from '../../helpers/child-process.ts';
import { startAppliance, type Appliance } from '../support/appliance/appliance.ts';
import { shippedPage } from '../support/pages.ts';
import { programsLeft } from '../support/processes.ts';
import { temporaryDirectory, type TemporaryDirectory } from '../support/temporary-directory.ts';

interface Context {
  appliance: Appliance;
  directory: TemporaryDirectory;
}

const test = suite<Context>('a full disk');

async function run(file: string, ...args: string[]): Promise<void> {
  const ended = await runProgram(
    { file, args, cwd: '/', env: programEnvironment({ PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }) },
    { timeoutMs: 10_000 },
  );
  if (ended.exitCode !== 0) throw new Error(`${file}: ${ended.stderr}`);
}

/** A file system of its own, of that size; needs root, as the set-up of the tests does. */
async function mountSmall(directory: string, size: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  await run('mount', '-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', directory);
}

test.before(async (context) => {
  context.directory = await temporaryDirectory();
  const small = path.join(context.directory.path, 'small');
  const tiny = path.join(context.directory.path, 'tiny');
  await mountSmall(small, '180m');
  await mountSmall(tiny, '16m');
  context.appliance = await startAppliance({
    // A4 in colour at 300 dpi is 26 MB a page.
    profiles: [
      {
        name: 'default',
        source: 'ADF',
        mode: 'Color',
        resolution: 300,
        paths: { output_dir: small },
      },
      { name: 'tiny', source: 'ADF', resolution: 100, paths: { output_dir: tiny } },
      { name: 'forbidden', source: 'ADF', resolution: 100, paths: { output_dir: '/proc/scans' } },
    ],
    scansDir: small,
  });
});

test.after(async ({ appliance, directory }) => {
  await appliance.close();
  await run('umount', path.join(directory.path, 'small'));
  await run('umount', path.join(directory.path, 'tiny'));
  await directory.remove();
});

const PAGE = shippedPage('blank-back-plain').file;

test('is refused before a sheet is fed', async ({ appliance }) => {
  appliance.scanner.load([PAGE]);
  const answer = await appliance.scan({ profile: 'tiny' });
  assert.is(answer.status, 507, answer.text);
  assert.is(answer.json?.['error'], 'insufficient_storage');
  assert.is(appliance.scanner.state.sheetsFed, 0);
});

test('a directory that cannot be made is told before a sheet is fed', async ({ appliance }) => {
  appliance.scanner.load([PAGE]);
  const answer = await appliance.scan({ profile: 'forbidden' });
  assert.is(answer.status, 507, answer.text);
  assert.match(
    String(answer.json?.['message']),
    /cannot write to \/proc\/scans \(ENOENT\)\. Nothing was fed/,
  );
  assert.is(appliance.scanner.state.sheetsFed, 0);
});

test('stops at the first page that does not fit; the pages before it are complete and counted', async ({
  appliance,
}) => {
  appliance.scanner.load(Array.from({ length: 9 }, () => PAGE));
  const answer = await appliance.scan({});
  assert.is(answer.status, 507, answer.text);
  assert.is(answer.json?.['error'], 'insufficient_storage');
  const count = Number(answer.json?.['page_count']);
  assert.ok(count >= 3 && count < 7, `${count} pages`);
  const id = String(answer.json?.['scan_id']);
  const record = await appliance.record(id);
  assert.is(record['state'], 'failed');
  assert.is(record['page_count'], count);
  const images = (await appliance.files(id)).filter((name) => /^page-\d{4}\.tif$/.test(name));
  assert.equal(images, record['pages']);
  assert.equal(await programsLeft(), []);
});

test.run();
