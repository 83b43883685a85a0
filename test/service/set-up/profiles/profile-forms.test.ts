import { mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Failure } from '../../../../helpers/failure.ts';
import type { FormProfile } from '../../../../service/profiles/form-schema.ts';
import { SHIPPED } from '../../../../service/profiles/load-directories.ts';
import { createProfileStore } from '../../../../service/profiles/store.ts';
import type { ListedForm } from '../../../../service/set-up/profiles/listed-forms.ts';
import { createProfileForms } from '../../../../service/set-up/profiles/profile-forms.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { shippedButtons } from '../../../../service/set-up/steps/shipped-buttons.ts';
import { stepBench } from '../steps/step-bench.ts';

const NEVER_MS = 3_600_000;
const OPERATORS = 'name: invoices\nlabel: Rechnungen\ndestinations: []\ntrigger: {paper: true}\n';
const SCHOOL: FormProfile = {
  label: { en: 'School', de: 'Schule' },
  icon: 'school',
  source: 'ADF',
  mode: 'Color',
  resolution: 200,
  page_size: 'a5',
  processing: { languages: ['deu'] },
  assembly: { page_grouping: 'per_sheet', remove_blank_pages: 'backs' },
  title: 'School {date}',
  destinations: [{ kind: 'dms', tags: ['School', 3] }],
  trigger: { button: 'scan', function: 2 },
};

const test = withFixture('profiles in Settings', async (directory) => {
  const bench = await stepBench(directory);
  const { files, settings } = bench;
  const operators = path.join(directory, 'operators');
  const saved = path.join(directory, 'saved');
  await mkdir(operators);
  await mkdir(saved);
  await writeFile(path.join(operators, 'bills.yaml'), OPERATORS);
  let dmsUrl: string | undefined = 'http://paperless:8000';
  const own = files.pathOf('profiles');
  const store = await createProfileStore({
    directories: [operators, own, SHIPPED],
    ownFiles: { directory: own, read: files.readFile },
    savedDir: saved,
    outputDir: '/scans',
    dmsUrl: () => dmsUrl,
    installedLanguages: () => ['deu', 'eng'],
    log: capturedLog().log,
    lookEveryMs: NEVER_MS,
  });
  const forms = createProfileForms({ files, settings, profiles: store });
  const entry = async (name: string): Promise<ListedForm | undefined> =>
    (await forms.list()).profiles.find((one) => one.name === name);
  return {
    ...bench,
    operators,
    saved,
    store,
    forms,
    entry,
    revision: async (name: string): Promise<string> => (await entry(name))?.revision ?? '',
    textOf: (name: string): Promise<string> => readFile(path.join(own, `${name}.yaml`), 'utf8'),
    forgetAddress: () => void (dmsUrl = undefined),
    close: async () => {
      store.close();
      await bench.close();
    },
  };
});

test('a stored profile takes effect at once, and is read back as it was sent', async ({
  forms,
  store,
  files,
  textOf,
}) => {
  const { isNew, entry } = await forms.put('school', SCHOOL, undefined);
  assert.ok(isNew);
  assert.equal(entry.profile, SCHOOL);
  assert.equal([entry.by, entry.removable, entry.problems], ['service', true, []]);
  const profile = store.get('school');
  assert.equal(profile?.label, SCHOOL.label);
  assert.equal(profile?.page_size, { width_mm: 148, height_mm: 210 });
  assert.is(profile?.processing.deskew, true);
  assert.is(profile?.destinations[0]?.base_url, 'http://paperless:8000');
  assert.equal(profile?.trigger, SCHOOL.trigger);
  assert.is((await stat(files.pathOf('profiles/school.yaml'))).mode & 0o777, 0o600);
  assert.not.match(await textOf('school'), /http|token|output_dir|device/);
  assert.is((await forms.list()).left, 49);
});

test('a default profile that needs a feeder does not fit a scanner with only a glass, until it is changed', async ({
  forms,
  store,
  settings,
  revision,
}) => {
  const fits = (): boolean | null | undefined =>
    shippedButtons(store, settings.current()).find(({ name }) => name === 'default')?.fits;
  const letters: FormProfile = { label: 'Post', destinations: [{ kind: 'dms' }] };
  await forms.put('default', letters, await revision('default'));
  await settings.change({ scanner: { device: 'a', name: 'A', kinds: ['glass'] } });
  assert.is(fits(), false);
  await failure('profile_read_only', forms.remove('default', undefined));
  await forms.put('default', { ...letters, source: 'Flatbed' }, await revision('default'));
  assert.is(fits(), true);
});

test('the same request again is answered like the first, and another one is refused', async ({
  forms,
  revision,
}) => {
  await forms.put('school', SCHOOL, undefined);
  assert.not.ok((await forms.put('school', SCHOOL, undefined)).isNew);
  const known = await revision('school');
  const refused = await failure('profile_exists', forms.put('school', OTHER, undefined));
  assert.is(refused.facts['revision'], known);
  const changed = await failure('profile_changed', forms.put('school', OTHER, 'wrong'));
  assert.is(changed.facts['revision'], known);
  await failure('profile_changed', forms.put('new', OTHER, '*'));
  await failure('profile_changed', forms.remove('school', 'wrong'));
  await forms.put('school', OTHER, known);
  // The first response was lost.
  assert.is((await forms.put('school', OTHER, known)).entry.revision, await revision('school'));
  await failure('profile_changed', forms.remove('school', known));
  await forms.remove('school', '*');
  await failure('profile_not_found', forms.get('school'));
});

const OTHER: FormProfile = { label: 'Other', destinations: [] };

test('the same request again is answered like the first, also without a title', async ({
  forms,
  store,
  textOf,
}) => {
  const { entry } = await forms.put('other', OTHER, undefined);
  assert.equal(await forms.put('other', OTHER, undefined), { isNew: false, entry });
  assert.is(store.get('other')?.title, '{first_line}');
  const stored = await textOf('other');
  await forms.put('other', { ...OTHER, title: 'Post' }, '*');
  await forms.put('other', OTHER, '*');
  assert.is(await textOf('other'), stored);
});

test('a profile of the operator is fixed, even if its file is broken or comes later', async ({
  forms,
  store,
  entry,
  operators,
}) => {
  const fixed = await entry('invoices');
  assert.equal(fixed, {
    name: 'invoices',
    label: 'Rechnungen',
    by: 'operator',
    fixed_by: 'bills.yaml',
    revision: null,
    removable: false,
    problems: [],
    profile: null,
  });
  for (const call of [forms.put('invoices', SCHOOL, '*'), forms.remove('invoices', undefined)]) {
    const refused = await failure('set_up_closed', call);
    assert.is(refused.facts['fixed_by'], 'bills.yaml');
  }
  await forms.put('school', SCHOOL, undefined);
  await writeFile(path.join(operators, 'school.yaml'), 'name: school\nresolution: many\n');
  const late = await failure('set_up_closed', forms.put('school', SCHOOL, '*'));
  assert.is(late.facts['fixed_by'], 'school.yaml');
  assert.is(store.get('school'), undefined);
  const broken = await entry('school');
  assert.is(broken?.fixed_by, 'school.yaml');
  assert.is(broken?.profile, null);
  assert.equal(
    broken?.problems.map(({ field }) => field),
    ['resolution', 'destinations'],
  );
});

test('a shipped profile is replaced under its name, keeps what the form does not show, and can come back', async ({
  forms,
  store,
  entry,
  revision,
  textOf,
}) => {
  const shipped = await entry('receipts');
  assert.equal([shipped?.by, shipped?.removable, shipped?.fixed_by], ['product', false, null]);
  assert.is(shipped?.profile?.assembly?.page_grouping, 'per_page');
  await failure('profile_exists', forms.put('receipts', SCHOOL, undefined));
  const needed = await failure('profile_read_only', forms.remove('default', undefined));
  assert.not.match(needed.message, /Hide it/);
  await failure('profile_read_only', forms.remove('receipts', undefined));
  assert.ok(shipped?.profile);
  const changed = { ...shipped.profile, resolution: 200 };
  await forms.put('receipts', changed, shipped.revision ?? '');
  assert.is(store.get('receipts')?.resolution, 200);
  assert.is(store.get('receipts')?.timeout_seconds, 600);
  assert.match(await textOf('receipts'), /^# Written in Settings\.\n/);
  await forms.remove('receipts', await revision('receipts'));
  assert.is(store.get('receipts')?.resolution, 300);
});

for (const [what, wrong, field, problem] of [
  [
    'a language that is not installed',
    { processing: { languages: ['fra'] } },
    'processing.languages',
  ],
  ['the trigger of another profile', { trigger: { paper: true } }, 'trigger', 'profile.trigger'],
] as const) {
  test(`${what} is refused at its field, and nothing is written`, async ({ forms, files }) => {
    const refused = await failure(
      'invalid_body',
      forms.put('new', { ...OTHER, ...wrong }, undefined),
    );
    assert.equal(fieldsIn(refused), [field]);
    assert.is(refused.facts['problem'], problem);
    await failure('profile_not_found', forms.get('new'));
    assert.is(await files.read('profiles/new.yaml').catch(() => 'missing'), 'missing');
  });
}

function fieldsIn({ facts }: Failure): unknown[] {
  const { fields } = facts;
  return Array.isArray(fields) ? fields.map(({ field }) => field) : [];
}

test('without an address of Paperless-ngx, only the machine itself is a destination', async ({
  forms,
  forgetAddress,
}) => {
  forgetAddress();
  const refused = await failure('invalid_body', forms.put('school', SCHOOL, undefined));
  assert.equal(fieldsIn(refused), ['destinations']);
  assert.is(refused.facts['problem'], 'profile.no_paperless');
  await forms.put('other', OTHER, undefined);
});

test('an own trigger is kept, and one that the operator takes later is lost, with its problem', async ({
  forms,
  store,
  entry,
  operators,
}) => {
  const { entry: stored } = await forms.put('a', { ...OTHER, trigger: SCHOOL.trigger }, undefined);
  await forms.put('a', { ...OTHER, label: 'A', trigger: SCHOOL.trigger }, stored.revision ?? '');
  const trigger = 'trigger: {button: scan}';
  await writeFile(path.join(operators, 'z.yaml'), `name: z\ndestinations: []\n${trigger}\n`);
  await store.reload();
  assert.ok(store.get('z'));
  assert.is(store.get('a'), undefined);
  assert.is((await entry('a'))?.problems[0]?.field, 'trigger');
  assert.ok((await entry('a'))?.profile);
});

test('the name of a saved button is taken', async ({ forms, store, saved }) => {
  const button = JSON.stringify({ based_on: 'default', label: 'Saved' });
  await writeFile(path.join(saved, 'button.json'), button);
  await store.reload();
  const refused = await failure('profile_exists', forms.put('button', OTHER, undefined));
  assert.is(refused.facts['revision'], null);
});

test('at most 50 profiles are stored', async ({ forms, files, store }) => {
  for (let at = 1; at <= 50; at += 1) {
    await files.write(`profiles/p${at}.yaml`, `name: p${at}\ndestinations: []\n`);
  }
  await store.reload();
  assert.is((await forms.list()).left, 0);
  await failure('too_many_profiles', forms.put('new', OTHER, undefined));
  await forms.put('p1', OTHER, '*');
});

test('the default profile that a glass needs can be changed, but not removed', async ({
  forms,
  settings,
  revision,
}) => {
  await settings.change({ scanner: { device: 'a', name: 'a', kinds: ['glass'] } });
  await forms.put('default', { ...OTHER, source: 'Flatbed' }, await revision('default'));
  await failure('profile_read_only', forms.remove('default', undefined));
  await settings.change({ scanner: { device: 'a', name: 'a', kinds: ['glass', 'feeder'] } });
  await forms.remove('default', undefined);
});

test('a file with an address, a path or broken text is not shown, and can be replaced or removed', async ({
  forms,
  files,
  store,
  entry,
}) => {
  const address = 'destinations: [{kind: dms, base_url: "http://elsewhere"}]\n';
  await files.write('profiles/a.yaml', `name: a\n${address}`);
  await files.write('profiles/b.yaml', 'name: b\ndestinations: []\npaths: {output_dir: /other}\n');
  await files.write('profiles/c.yaml', 'name: [');
  await store.reload();
  for (const name of ['a', 'b', 'c']) {
    const listed = await entry(name);
    assert.is(listed?.profile, null, name);
    assert.ok(listed?.removable, name);
    const { entry: replaced } = await forms.put(name, OTHER, listed?.revision ?? '');
    assert.equal([replaced.profile?.label, replaced.profile?.destinations], ['Other', []]);
    assert.not.match(await files.read(`profiles/${name}.yaml`), /elsewhere|\/other/);
  }
  await forms.remove('a', undefined);
  await rm(files.pathOf('profiles/b.yaml'));
  await failure('profile_not_found', forms.remove('b', undefined));
});

test('changes at the same time are made one after another: one wins, the others see it', async ({
  forms,
  revision,
}) => {
  await forms.put('a', OTHER, undefined);
  const known = await revision('a');
  const labels = ['one', 'two', 'three', 'four'];
  const calls = labels.map((label) => forms.put('a', { ...OTHER, label }, known));
  const results = await Promise.allSettled(calls);
  assert.is(results.filter(({ status }) => status === 'fulfilled').length, 1);
  for (const result of results) {
    if (result.status === 'rejected') assert.is((result.reason as Failure).code, 'profile_changed');
  }
});

test('a new profile never replaces the file of another one', async ({
  forms,
  files,
  store,
  entry,
}) => {
  await files.write('profiles/letters.yaml', 'name: post\nlabel: Post\ndestinations: []\n');
  await files.write('profiles/letters-2.yaml', 'name: bills\nlabel: Bills\ndestinations: []\n');
  await store.reload();
  await forms.put('letters', OTHER, undefined);
  for (const [name, label] of [
    ['post', 'Post'],
    ['bills', 'Bills'],
    ['letters', 'Other'],
  ] as const)
    assert.is((await entry(name))?.label, label);
  await forms.remove('letters', undefined);
  assert.is((await entry('post'))?.label, 'Post');
});
