import { chmod, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseOptions } from '../../../deploy/setup/options.ts';
import { placesFor } from '../../../deploy/setup/places.ts';
import { writeFiles, type Choices } from '../../../deploy/setup/write-files.ts';
import { assert, inDirectory } from '../../support/suite.ts';

const test = inDirectory('what set-up writes');

const CHOICES: Choices = {
  profile: 'default',
  profileText: 'name: default\n',
  scanner: { device: 'fujitsu:fi-7160:1234', escl: undefined },
  secrets: { dms_api_token: 'new' },
  variables: { DMS_URL: 'http://dms:8000' },
};

test('a profile has a name that the service takes, and none that leads elsewhere', () => {
  for (const name of ['../../../x', 'My Profile', 'Büro', '']) {
    assert.throws(
      () => parseOptions(['--profile', name], {}),
      /--profile must be lower-case letters/,
    );
  }
  assert.is(parseOptions(['--profile', 'invoices-2'], {}).profile, 'invoices-2');
});

test('a file is replaced whole, keeps its settings, its mode and the place that it is a link to; a token is for nobody else', async (given) => {
  const { directory, file } = given;
  const places = placesFor({ SETUP_DIR: directory });
  await mkdir(places.secrets);
  const token = join(places.secrets, 'dms_api_token');
  await writeFile(token, 'old');
  await chmod(token, 0o644);
  await writeFile(file('settings'), 'TZ=Europe/Berlin\n');
  await chmod(file('settings'), 0o640);
  await symlink('settings', places.settings);
  const before = await stat(places.settings);
  await writeFiles(places, CHOICES);
  const after = await stat(places.settings);
  assert.is.not(after.ino, before.ino);
  assert.is(after.mode & 0o777, 0o640);
  const settings = await readFile(file('settings'), 'utf8');
  assert.is(settings, 'TZ=Europe/Berlin\nDMS_URL=http://dms:8000\n');
  assert.is(await readFile(token, 'utf8'), 'new\n');
  assert.is((await stat(token)).mode & 0o007, 0);
  const left = (await readdir(directory)).filter((name) => name.endsWith('.tmp'));
  assert.equal(left, []);
});

test('an airscan.conf that does not say whether the network is searched gets that switched off; no other is changed', async (given) => {
  const places = placesFor({ SETUP_DIR: given.directory });
  const file = join(places.sane, 'airscan.conf');
  const written = async (device = CHOICES.scanner.device): Promise<string> => {
    await writeFiles(places, { ...CHOICES, scanner: { device, escl: undefined } });
    return readFile(file, 'utf8');
  };
  await mkdir(places.sane, { recursive: true });
  const devices = '[devices]\n"Scanner" = http://192.168.1.50/eSCL, eSCL\n\n';
  await writeFile(file, devices);
  for (const found of ['auto', 'OfficeJet 3830', 'airscan:e1:OfficeJet']) {
    assert.is(await written(found), devices, `${found} may be found by the search only`);
  }
  assert.is(await written(), `${devices}[options]\ndiscovery = disable\n`);
  const searched = `[options]\n discovery = enable\n\n${devices}`;
  await writeFile(file, searched);
  assert.is(await written(), searched);
});
