import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readEarlier, type Earlier } from '../../../deploy/setup/earlier.ts';
import { placesFor } from '../../../deploy/setup/places.ts';
import { createOwnFiles } from '../../../service/settings/own-files.ts';
import { textOfSettings } from '../../../service/settings/settings.ts';
import { assert, withFixture } from '../../support/suite.ts';

const MADE = textOfSettings({
  dms_url: 'http://192.168.1.10:8000',
  time_zone: 'Europe/Berlin',
  scanner: { device: 'OfficeJet', name: 'HP OfficeJet', kinds: ['feeder'] },
  languages: ['deu', 'eng'],
});

const test = withFixture('what the set-up in the terminal suggests', async (directory) => {
  const places = placesFor({
    SETUP_DIR: path.join(directory, 'checkout'),
    OUTPUT_DIR: path.join(directory, 'state/scans'),
  });
  for (const one of [places.profiles, places.secrets]) await mkdir(one, { recursive: true });
  return {
    places,
    own: createOwnFiles(path.join(directory, 'state/settings')),
    earlier: () => readEarlier(places, 'default'),
  };
});

const seen = ({ device, languages, token, callerToken, setting }: Earlier): unknown[] => [
  device,
  languages,
  token,
  callerToken,
  setting('DMS_URL'),
  setting('TZ'),
];

test('is nothing at first', async ({ earlier }) => {
  assert.equal(seen(await earlier()), Array.from({ length: 6 }));
});

test('is what was set up in the browser', async ({ own, earlier }) => {
  await own.write('settings.json', MADE);
  await own.write('secrets/dms_api_token', 'token\n');
  await own.write('secrets/scan_api_token', 'house\n');
  assert.equal(seen(await earlier()), [
    'OfficeJet',
    ['deu', 'eng'],
    'token',
    'house',
    'http://192.168.1.10:8000',
    'Europe/Berlin',
  ]);
});

test("is what is in the operator's own files, if there is both", async ({
  own,
  places,
  earlier,
}) => {
  await own.write('settings.json', MADE);
  await own.write('secrets/dms_api_token', 'token');
  await own.write('secrets/scan_api_token', 'house');
  const profile = '{name: default, device: Epson, processing: {languages: [fra]}}';
  await writeFile(path.join(places.profiles, 'default.yaml'), profile);
  await writeFile(path.join(places.secrets, 'dms_api_token'), 'own token');
  await writeFile(path.join(places.secrets, 'scan_api_token'), 'own house');
  await writeFile(places.settings, 'DMS_URL=http://own\nTZ=UTC\n');
  const expected = ['Epson', ['fra'], 'own token', 'own house', 'http://own', 'UTC'];
  assert.equal(seen(await earlier()), expected);
});

test('leaves out settings that cannot be read', async ({ own, earlier }) => {
  await own.write('settings.json', '{"dms_url":');
  await mkdir(own.pathOf('secrets/dms_api_token'), { recursive: true });
  assert.equal(seen(await earlier()), Array.from({ length: 6 }));
});
