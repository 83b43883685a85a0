import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import type { LoadedProfiles } from '../../../service/profiles/load.ts';
import { loadDirectories } from '../../../service/profiles/load-directories.ts';
import { profileSchema } from '../../../service/profiles/schema.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite('own and shipped profiles');

const SHIPPED = path.resolve(import.meta.dirname, '../../../profiles');
const DMS_URL = 'http://192.168.1.10:8000';
const TO_DMS = 'destinations: [{kind: dms}]\n';

async function load(own: Record<string, string>, dmsUrl?: string): Promise<LoadedProfiles> {
  const directory = await temporaryDirectory();
  try {
    const profiles = path.join(directory.path, 'profiles');
    await mkdir(profiles);
    for (const [name, text] of Object.entries(own)) {
      await writeFile(path.join(profiles, name), text);
    }
    const schema = profileSchema({ output_dir: '/scans', dms_url: dmsUrl });
    return await loadDirectories([profiles, SHIPPED], schema, ['eng']);
  } finally {
    await directory.remove();
  }
}

test('the shipped profiles deliver to DMS_URL, beside the own ones', async () => {
  const { profiles, problems } = await load({ 'a.yaml': `name: a\n${TO_DMS}` }, DMS_URL);
  assert.equal(problems, []);
  assert.equal([...profiles.keys()], ['a', 'default', 'duplex', 'flatbed', 'receipts']);
  for (const { destinations } of profiles.values()) {
    assert.equal(
      destinations.map(({ base_url }) => base_url),
      [DMS_URL],
    );
  }
});

test('without DMS_URL, each destination must name an address', async () => {
  const { profiles, problems } = await load({});
  assert.is(profiles.size, 0);
  assert.is(
    problems[0]?.message,
    '"destinations[0].base_url" is missing: set it, or the variable DMS_URL for all destinations without one.',
  );
});

test('an own profile takes precedence over the shipped one of the same name', async () => {
  const own = `name: duplex\nresolution: 200\n${TO_DMS}`;
  const { profiles, problems } = await load({ 'mine.yaml': own }, DMS_URL);
  assert.equal(problems, []);
  assert.is(profiles.get('duplex')?.resolution, 200);
});

test('a mistake in an own profile does not bring back the shipped one', async () => {
  const own = `name: duplex\nresolution: lots\n${TO_DMS}`;
  const { profiles, problems } = await load({ 'mine.yaml': own }, DMS_URL);
  assert.is(profiles.has('duplex'), false);
  assert.equal(
    problems.map(({ file, field }) => [file, field]),
    [['mine.yaml', 'resolution']],
  );
});

test('a directory that does not exist is skipped, unless none exists', async () => {
  const schema = profileSchema({ output_dir: '/scans', dms_url: DMS_URL });
  const { profiles, problems } = await loadDirectories(['/nonexistent', SHIPPED], schema);
  assert.is(profiles.size, 4);
  assert.equal(problems, []);
  assert.is((await loadDirectories(['/nonexistent'], schema)).problems.length, 1);
});

test.run();
