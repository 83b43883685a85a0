import path from 'node:path';
import { readEnvironment } from '../../service/environment.ts';
import { openOwnSettings, type OwnSettings } from '../../service/own-settings.ts';
import { SHIPPED } from '../../service/profiles/load-directories.ts';
import { capturedLog } from '../support/captured-log.ts';
import { assert, withFixture } from '../support/suite.ts';

const test = withFixture('the settings of the operator and of the service', async (directory) => {
  const before = process.env['TZ'];
  const opened: OwnSettings[] = [];
  return {
    directory,
    open: async (variables: Readonly<Record<string, string>> = {}): Promise<OwnSettings> => {
      const given = { OUTPUT_DIR: path.join(directory, 'scans'), ...variables };
      const own = await openOwnSettings(readEnvironment(given), capturedLog().log);
      opened.push(own);
      return own;
    },
    close: async () => {
      for (const { settings } of opened) settings.close();
      if (before === undefined) delete process.env['TZ'];
      else process.env['TZ'] = before;
    },
  };
});

test('the address is DMS_URL, else that of the settings, else DMS_URL_DEFAULT', async ({
  open,
}) => {
  const bundled = { DMS_URL_DEFAULT: 'http://paperless:8000' };
  const own = await open(bundled);
  assert.is(own.dmsUrl(), 'http://paperless:8000');
  await own.settings.change({ dms_url: 'http://192.168.1.10' });
  assert.is(own.dmsUrl(), 'http://192.168.1.10');
  assert.is((await open({ ...bundled, DMS_URL: 'http://operator' })).dmsUrl(), 'http://operator');
});

test('the time zone is TZ, else that of the settings, else UTC where TZ is empty', async ({
  open,
}) => {
  process.env['TZ'] = '';
  const { settings } = await open({ TZ: '' });
  assert.is(process.env['TZ'], 'UTC');
  await settings.change({ time_zone: 'Asia/Tokyo' });
  assert.is(new Date(0).getHours(), 9);
  process.env['TZ'] = 'America/New_York';
  await open({ TZ: 'America/New_York' });
  assert.is(new Date(0).getHours(), 19);
});

test("the service's own profiles come after those of the operator and before the shipped ones", async ({
  directory,
  open,
}) => {
  const own = path.join(directory, 'settings/profiles');
  assert.equal((await open({ PROFILES_DIR: `/a:/b:${SHIPPED}` })).profilesDirs, [
    '/a',
    '/b',
    own,
    SHIPPED,
  ]);
  assert.equal((await open({ PROFILES_DIR: '/a', SETTINGS_DIR: '/s' })).profilesDirs, [
    '/a',
    '/s/profiles',
  ]);
});
