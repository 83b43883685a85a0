import { startTestApp } from '../../../support/test-app.ts';
import { testProfile } from '../../../support/test-profile.ts';
import { assert, withFixture } from '../../../support/suite.ts';

const PROBLEM = { file: 'receipts.yaml', field: 'resolution', message: '"resolution" is missing.' };
const FEED = { source: 'ADF' };

const test = withFixture('GET /profiles', () =>
  startTestApp({
    profiles: [
      testProfile({
        name: 'invoices',
        label: { en: 'Invoices', de: 'Rechnungen' },
        description: 'Duplex',
        source: 'ADF Duplex',
        destinations: [
          {
            kind: 'dms',
            base_url: 'http://paperless:8000/sub',
            public_url: 'https://dms',
            tags: [3],
          },
        ],
      }),
      testProfile({ name: 'photos' }),
      testProfile({ name: 'glass', source: 'Flatbed' }),
      testProfile({ name: 'tills', ...FEED, assembly: { page_grouping: 'per_page' } }),
      testProfile({ name: 'letters', ...FEED }),
    ],
    problems: [{ ...PROBLEM, profile: 'receipts' }],
  }),
);

test('lists what people choose a profile by', async (app) => {
  const { json } = await app.send({ path: '/profiles' });
  const { profiles, problems } = json as { profiles: { kind: string }[]; problems: unknown };
  const rest = { mode: 'Gray', resolution: 300, usable: true, reason: null };
  const label = { en: 'Invoices', de: 'Rechnungen' };
  assert.equal(profiles.slice(0, 2), [
    {
      name: 'invoices',
      label,
      description: 'Duplex',
      kind: 'both_sides',
      public_urls: ['https://dms'],
      ...rest,
    },
    { name: 'photos', label: null, description: '', kind: 'feeder', public_urls: [], ...rest },
  ]);
  assert.equal(
    profiles.map(({ kind }) => kind),
    ['both_sides', 'feeder', 'glass', 'receipts', 'feeder'],
  );
  assert.equal(problems, [PROBLEM]);
});

test('shows a profile with capitalized names at every level', async (app) => {
  const { json, text } = await app.send({ path: '/profiles/invoices' });
  assert.is(json?.['TimeoutSeconds'], 300);
  assert.equal(json?.['Assembly'], {
    PageGrouping: 'combined',
    RemoveBlankPages: 'none',
    BacksOrder: 'reverse',
    Barcodes: null,
  });
  const [destination] = (json?.['Destinations'] ?? []) as Record<string, unknown>[];
  assert.is(destination?.['BaseURL'], 'http://paperless:8000/sub');
  assert.equal(destination?.['Tags'], [3]);
  assert.is(destination?.['StoragePath'], null);
  const names = [...text.matchAll(/"(\w+)":/g)].map((match) => match[1] ?? '');
  assert.equal(
    names.filter((name) => !/^[A-Z]/.test(name)),
    [],
  );
});

test('a name that is not there is answered with those that are, or with what is wrong with its file', async (app) => {
  const missing = await app.send({ path: '/profiles/Invoices' });
  assert.equal([missing.status, missing.json?.['error']], [404, 'profile_not_found']);
  assert.equal(missing.json?.['profiles'], ['invoices', 'photos', 'glass', 'tills', 'letters']);
  const { status, json } = await app.send({ path: '/profiles/receipts' });
  assert.is(status, 404);
  assert.equal(json?.['problems'], [PROBLEM]);
  assert.is(
    json?.['message'],
    'The profile "receipts" is not loaded. Correct receipts.yaml: "resolution" is missing.',
  );
});
