import type { Profile } from '../../../../service/profiles/profile.ts';
import {
  answersOf,
  type AnswersOptions,
  type SetUpAnswers,
} from '../../../../service/set-up/steps/answers.ts';
import { createFinishStep } from '../../../../service/set-up/steps/finish-step.ts';
import { testProfile } from '../../../support/test-profile.ts';
import { assert, withFixture } from '../../../support/suite.ts';
import { stepBench } from './step-bench.ts';

const SECRET = 'c0ffee00c0ffee00c0ffee00c0ffee00c0ffee00';
const SHIPPED = testProfile({ name: 'default', label: 'Letters' });
const OWN = testProfile({ name: 'invoices' });
const BUTTON = testProfile({ name: 'saved' });

const test = withFixture('the answers of the set-up', async (directory) => {
  const bench = await stepBench(directory);
  const { settings } = bench;
  return {
    ...bench,
    answers: (
      profiles: readonly Profile[] = [SHIPPED],
      more: Partial<AnswersOptions> = {},
    ): Promise<SetUpAnswers> =>
      answersOf({
        settings,
        profiles: {
          list: () => profiles,
          isShipped: (name) => name === 'default',
          isOwn: (name) => name !== 'saved',
        },
        readSecret: async () => undefined,
        readOperatorSecret: async () => undefined,
        callerToken: { required: () => ({ state: 'none' }) },
        installed: () => ['eng'],
        dmsUrl: () => undefined,
        fixedUrl: undefined,
        fixedZone: undefined,
        ...more,
      }),
  };
});

test('a new appliance has no answers, and every step is to do', async ({ answers }) => {
  const { languages, ...rest } = await answers();
  assert.equal(rest, {
    answers: {
      scanner: null,
      paperless: { address: null, token: false },
      languages: null,
      time_zone: null,
      buttons: [{ name: 'default', label: 'Letters', kind: 'feeder', fits: null, shown: true }],
      house: null,
    },
    fixed: {
      dms_url: null,
      dms_api_token: null,
      time_zone: null,
      scan_api_token: null,
      profiles: [],
    },
    to_do: ['scanner', 'paperless', 'languages', 'buttons', 'house'],
    finished_at: null,
  });
  assert.equal(languages.installed, ['eng']);
  const codes = languages.offered.map(({ code }) => code);
  assert.is(new Set(codes).size, codes.length);
  assert.ok(languages.offered.some(({ code, locale }) => code === 'deu' && locale === 'de'));
});

test('the answers show what was set, and no step is left to do', async ({
  answers,
  settings,
  files,
}) => {
  const scanner = { device: 'a', name: 'A', kinds: ['feeder'] } as const;
  await settings.change({ scanner, languages: ['deu'], time_zone: 'UTC', hidden_profiles: [] });
  await settings.change({ house: 'open', dms_url: 'http://a' });
  const finish = createFinishStep({ files, settings, now: () => new Date(0) });
  assert.is(await finish(), '1970-01-01T00:00:00.000Z');
  assert.is(await createFinishStep({ files, settings })(), '1970-01-01T00:00:00.000Z');
  const found = await answers([SHIPPED], {
    readSecret: async () => SECRET,
    dmsUrl: () => 'http://a',
    installed: () => undefined,
  });
  assert.equal(found.answers, {
    scanner,
    paperless: { address: 'http://a', token: true },
    languages: ['deu'],
    time_zone: 'UTC',
    buttons: [{ name: 'default', label: 'Letters', kind: 'feeder', fits: true, shown: true }],
    house: 'open',
  });
  assert.equal([found.to_do, found.finished_at], [[], '1970-01-01T00:00:00.000Z']);
  assert.is(found.languages.installed, null);
  assert.is(found.languages.text, null);
  assert.match((await answers()).languages.text?.en ?? '', /^Not installed yet: German\./u);
  assert.not.match(JSON.stringify(found), SECRET);
});

test('the buttons are to do while the default profile of a person needs more than a glass', async ({
  answers,
  settings,
}) => {
  const isToDo = async (profile: Profile): Promise<boolean> =>
    (await answers([profile])).to_do.includes('buttons');
  const glass = testProfile({ name: 'default', source: 'Flatbed' });
  await settings.change({ hidden_profiles: [] });
  await settings.change({ scanner: { device: 'a', name: 'A', kinds: ['glass'] } });
  assert.equal([await isToDo(SHIPPED), await isToDo(glass)], [true, false]);
  assert.not.ok((await answers([SHIPPED, OWN])).to_do.includes('buttons'));
  await settings.change({ scanner: { device: 'a', name: 'A', kinds: ['feeder', 'glass'] } });
  assert.not(await isToDo(SHIPPED));
});

test('the answers name what was set on the machine and is fixed', async ({ answers }) => {
  const found = await answers([SHIPPED, OWN, BUTTON], {
    readSecret: async () => SECRET,
    readOperatorSecret: async () => SECRET,
    callerToken: { required: () => ({ state: 'readable' }) },
    dmsUrl: () => 'http://fixed',
    fixedUrl: 'http://fixed',
    fixedZone: 'Europe/Rome',
  });
  assert.equal(found.fixed, {
    dms_url: 'DMS_URL',
    dms_api_token: 'dms_api_token',
    time_zone: 'TZ',
    scan_api_token: 'scan_api_token',
    profiles: ['invoices'],
  });
  assert.equal([found.answers.house, found.answers.time_zone], ['password', 'Europe/Rome']);
  assert.equal(found.to_do, []);
  assert.not.match(JSON.stringify(found), SECRET);
});

test('the answers count unreadable secrets as fixed, and as no token', async ({ answers }) => {
  const unreadable = (): Promise<never> => Promise.reject(new Error('EACCES'));
  const found = await answers([SHIPPED], {
    readSecret: unreadable,
    readOperatorSecret: unreadable,
    callerToken: { required: () => ({ state: 'unreadable' }) },
  });
  assert.is(found.answers.paperless.token, false);
  assert.equal(
    [found.fixed.dms_api_token, found.fixed.scan_api_token, found.answers.house],
    ['dms_api_token', 'scan_api_token', 'password'],
  );
});
