import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { startTestApp, testProfile, type TestApp } from '../../../support/test-app.ts';

const test = suite<{ app: TestApp }>('GET /profiles');

test.before(async (context) => {
  context.app = await startTestApp({
    profiles: [
      testProfile({
        name: 'invoices',
        label: { en: 'Invoices', de: 'Rechnungen' },
        description: 'Duplex',
        source: 'ADF Duplex',
        destinations: [{ kind: 'dms', base_url: 'http://paperless:8000/sub', tags: [3] }],
      }),
      testProfile({ name: 'photos' }),
    ],
    problems: [
      {
        file: 'receipts.yaml',
        field: 'resolution',
        message: '"resolution" is missing.',
        profile: 'receipts',
      },
    ],
  });
});

test.after(({ app }) => app.close());

test('lists what people choose a profile by', async ({ app }) => {
  const { json } = await app.send({ path: '/profiles' });
  assert.equal(json, {
    profiles: [
      {
        name: 'invoices',
        label: { en: 'Invoices', de: 'Rechnungen' },
        description: 'Duplex',
        kind: 'both_sides',
        mode: 'Gray',
        resolution: 300,
        usable: true,
        reason: null,
      },
      {
        name: 'photos',
        label: null,
        description: '',
        kind: 'feeder',
        mode: 'Gray',
        resolution: 300,
        usable: true,
        reason: null,
      },
    ],
    problems: [{ file: 'receipts.yaml', field: 'resolution', message: '"resolution" is missing.' }],
  });
});

test('a profile whose file was not loaded is answered with what is wrong with it', async ({
  app,
}) => {
  const { status, json } = await app.send({ path: '/profiles/receipts' });
  assert.is(status, 404);
  assert.equal(json?.['problems'], [
    { file: 'receipts.yaml', field: 'resolution', message: '"resolution" is missing.' },
  ]);
  assert.match(
    String(json?.['message']),
    /^The profile "receipts" is not loaded\. Correct receipts\.yaml: "resolution" is missing\.$/,
  );
});

test('shows a profile with capitalized names at every level', async ({ app }) => {
  const { status, json, text } = await app.send({ path: '/profiles/invoices' });
  assert.is(status, 200);
  assert.is(json?.['Name'], 'invoices');
  assert.is(json?.['Resolution'], 300);
  assert.is(json?.['TimeoutSeconds'], 300);
  assert.equal(json?.['Assembly'], {
    PageGrouping: 'combined',
    RemoveBlankPages: 'none',
    BacksOrder: 'reverse',
    Barcodes: null,
  });
  assert.equal(json?.['Destinations'], [
    {
      Kind: 'dms',
      BaseURL: 'http://paperless:8000/sub',
      PublicURL: null,
      TokenSecret: 'dms_api_token',
      Tags: [3],
      Correspondent: null,
      DocumentType: null,
      StoragePath: null,
      CreateMissing: false,
      Title: null,
    },
  ]);
  const names = [...text.matchAll(/"(\w+)":/g)].map((match) => match[1] ?? '');
  assert.equal(
    names.filter((name) => !/^[A-Z]/.test(name)),
    [],
  );
});

test('a name that is not there is answered with those that are', async ({ app }) => {
  const { status, json } = await app.send({ path: '/profiles/Invoices' });
  assert.is(status, 404);
  assert.is(json?.['error'], 'profile_not_found');
  assert.equal(json?.['profiles'], ['invoices', 'photos']);
});

const STRANGE_NAMES = [
  '..%2f..%2fetc%2fpasswd',
  '%2e%2e',
  '%00x',
  '%zz',
  '..%5cx',
  '%252e%252e',
  '__proto__',
  'constructor',
  '%E2%88%95etc',
  'x'.repeat(4000),
];

for (const name of STRANGE_NAMES) {
  test(`the name ${name.slice(0, 30)} is only a name that is not there`, async ({ app }) => {
    const { status, json } = await app.send({ path: `/profiles/${name}` });
    assert.is(status, 404);
    assert.ok(['profile_not_found', 'not_found'].includes(String(json?.['error'])));
  });
}

test.run();
