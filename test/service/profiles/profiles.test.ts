import { EventEmitter, once } from 'node:events';
import { mkdir, open, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Joi from 'joi';
import { load as parseYaml } from 'js-yaml';
import { loadDirectories } from '../../../service/profiles/load-directories.ts';
import type { Profile } from '../../../service/profiles/profile.ts';
import { profileSchema } from '../../../service/profiles/schema.ts';
import { createProfileStore, type ProfileStore } from '../../../service/profiles/store.ts';
import { suggestedProfile } from '../../../service/profiles/suggested-profile.ts';
import { documentTitle } from '../../../service/profiles/title-template.ts';
import type { SourceDescription } from '../../../service/scanner/scanner-list.ts';
import { capturedLog } from '../../support/captured-log.ts';
import { makePipe } from '../../support/make-pipe.ts';
import { assert, EVENT_MS, suite, withFixture, within } from '../../support/suite.ts';
import { takeAllDescriptors } from '../../support/take-all-descriptors.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const SHIPPED = path.join(ROOT, 'profiles');
const DMS_URL = 'http://192.168.1.10:8000';

const named = (name: string, fields = ''): string => `name: ${name}\ndestinations: []\n${fields}`;
const MINIMAL = named('minimal');

type Files = Readonly<Record<string, string>>;
type Loaded = Awaited<ReturnType<typeof loadDirectories>>;

const test = withFixture('loading profiles', async (directory) => {
  let made = 0;
  const loadFrom = (directories: readonly string[], dms_url?: string): Promise<Loaded> =>
    loadDirectories(directories, profileSchema({ output_dir: '/scans', dms_url }), ['eng']);
  const write = async (files: Files): Promise<string> => {
    const folder = path.join(directory, String((made += 1)));
    await mkdir(folder);
    for (const [name, text] of Object.entries(files))
      await writeFile(path.join(folder, name), text);
    return folder;
  };
  const load = async (...directories: readonly Files[]): Promise<Loaded> =>
    loadFrom(await Promise.all(directories.map(write)));
  return {
    load,
    loadMinimal: async (fields = '') => {
      const { profiles, problems } = await load({ 'a.yaml': `${MINIMAL}${fields}\n` });
      assert.equal(problems, []);
      return profiles.get('minimal');
    },
    loadOwn: async (own: Files, dmsUrl?: string) => loadFrom([await write(own), SHIPPED], dmsUrl),
    loadFrom,
    write,
    problemsOf: async (text: string): Promise<string[]> => {
      const { profiles, problems } = await load({ 'a.yaml': text });
      assert.is(profiles.size, 0, 'the profile should have been refused');
      for (const { file, message } of problems) {
        assert.is(file, 'a.yaml');
        assert.match(message, /^(?:"|The file ).*\.$/);
      }
      assert.ok(problems.length > 0);
      return problems.map(({ message }) => message);
    },
  };
});

const CONVENTIONS = {
  separator: ['PATCHT'],
  asn_prefix: 'ASN',
  tag_prefix: 'TAG:',
  metadata: false,
};

test('page sizes by name become millimetres; codes and the output directory have defaults', async ({
  loadMinimal,
}) => {
  assert.equal((await loadMinimal())?.paths, { output_dir: '/scans' });
  const letter = { width_mm: 215.9, height_mm: 279.4 };
  assert.is((await loadMinimal('page_size: auto'))?.page_size, 'auto');
  assert.equal((await loadMinimal('page_size: letter'))?.page_size, letter);
  for (const [assembly, barcodes] of [
    ['page_grouping: blank_page', undefined],
    ['page_grouping: separator', CONVENTIONS],
    ['barcodes: {}', CONVENTIONS],
    ['barcodes: {metadata: true}', { ...CONVENTIONS, metadata: true }],
  ] as const) {
    const profile = await loadMinimal(`assembly: {${assembly}}`);
    assert.equal(profile?.assembly.barcodes, barcodes, assembly);
  }
});

const LINE = /must be one line of text without control characters/;
const LIST = /must be a list of 1 to 10 different texts/;
const TEXT = /must be text of 1 to 100 characters without commas and control characters/;
const BUTTON = /name of a button, as scanimage -A shows it: scan, but is "--scan"/;
const PLACE = /^"paths\.output_dir" must be an absolute path without \. or \.\. in it/;
const GROUPINGS =
  /one of combined, per_page, per_sheet, separator, blank_page, card, but is "pile"\.$/;

/** Fields added to the valid minimal profile, and the only problem expected. */
const REFUSED: readonly (readonly [fields: string, expected: RegExp])[] = [
  ['colour: true', /^"colour" is not a known key \(line 3\)\.$/],
  ['resolution: "300"', /^"resolution" must be a whole number from 50 to 2400, but is "300"\.$/],
  ['page_size: a7', /^"page_size" must be one of a3, a4.*, but is "a7"\.$/],
  ['processing: {rotate_backs: 90}', /^"processing\.rotate_backs" must be 0 or 180, but is 90\.$/],
  ['assembly: {page_grouping: pile}', GROUPINGS],
  ['assembly: {remove_blank_pages: fronts}', /must be one of none, backs, all/],
  ['assembly: {barcodes: {separator: ["A,B"]}}', TEXT],
  ['assembly: {page_grouping: separator, barcodes: {separator: []}}', LIST],
  ['assembly: {barcodes: {separator: [A, A]}}', LIST],
  ['assembly: {barcodes: {separator: A}}', LIST],
  ['assembly: {barcodes: {asn_prefix: ""}}', TEXT],
  ['assembly: {barcodes: {metadata: "yes"}}', /must be true or false/],
  ['title: "{profil}"', /unknown placeholder \{profil\}: it must be one of \{profile\} \{label\}/],
  ['title: "{}"', /unknown placeholder \{\}/],
  ['title: |\n  one\n  two', /control characters/],
  ['title: "a\tb"', /control characters/],
  ['title: "a\\x7fb"', /control characters/],
  ['title: ""', /^"title" must be text of 1 to 200 characters/],
  ['device: --version', /must not begin with a dash/],
  ['device: "a\\nb"', LINE],
  ['source: "ADF\\x7f"', LINE],
  ['mode: ""', LINE],
  ['scanner_options: {a: "1\\n2"}', /^"scanner_options\.a" must be one line of text/],
  ['scanner_options: {--a: 1}', /must be the name of an option without dashes/],
  ...['scans', '/a/../b', '/a/..', '/./a', '"/a\\n"'].map(
    (directory) => [`paths: {output_dir: ${directory}}`, PLACE] as const,
  ),
  ['trigger: {}', /must have either button or paper/],
  ['trigger: {button: scan, paper: true}', /must have either button or paper/],
  ['trigger: {function: 3}', /must have either button or paper|function without a button/],
  ['trigger: {paper: false}', /"trigger\.paper" must be true, but is false/],
  ['trigger: {button: "--scan"}', BUTTON],
  ['trigger: {button: scan, function: 1.5}', /a whole number from 0 to 99, but is 1\.5/],
  ['trigger: {button: scan, colour: red}', /"trigger\.colour" is not a known key/],
  ['trigger: paper', /"trigger" must be a mapping/],
  ['name: again', /line 3: duplicated mapping key/],
];

const NAME = /^"name" must be lower-case letters, digits, _ or -.*, but is "Invoices"\.$/;
const KIND = /^"destinations\[0\]\.kind" must be dms\.$/;

const NO_PROFILES: typeof REFUSED = [
  ['destinations: []\n', /^"name" is missing\.$/],
  ['name: a\n', /^"destinations" is missing\.$/],
  [named('Invoices'), NAME],
  ['name: a\ndestinations: [{kind: ftp, base_url: "http://x"}]\n', KIND],
  ['- name\n', /^The file must be a mapping/],
  ['profile\n', /^The file must be a YAML mapping with a name\.$/],
  ['', /^The file is not valid YAML \(expected a document, but/],
  ['name: [\n', /^The file is not valid YAML \(line 2: deficient indentation\)\.$/],
  // A few lines with aliases can expand to gigabytes.
  ['name: &a x\ndescription: *a\ndestinations: []\n', /YAML \(line 2: aliases exceeded/],
  [`${MINIMAL}#${'x'.repeat(300_000)}`, /larger than/],
];

for (const [text, expected] of [
  ...REFUSED.map(([fields, says]) => [`${MINIMAL}${fields}\n`, says] as const),
  ...NO_PROFILES,
]) {
  const shown = JSON.stringify(text.replace(MINIMAL, '').slice(0, 60));
  test(`refuses ${shown} and says so`, async ({ problemsOf }) => {
    for (const message of await problemsOf(text)) assert.match(message, expected);
  });
}

const SECRET = '0123456789abcdef0123456789abcdef01234567';
const DESTINATION = 'name: a\ndestinations:\n  - kind: dms\n    base_url: http://paperless\n';

test('a token in the wrong place is refused without showing it', async ({ load, problemsOf }) => {
  for (const text of [
    ...[`me:${SECRET}@paperless`, `paperless/?token=${SECRET}`, `paperless/#${SECRET}`].map(
      (address) => DESTINATION.replace('paperless', address),
    ),
    DESTINATION.replace('http://paperless', `${SECRET} x`),
    ...[
      `token: ${SECRET}`,
      `api_token: "${SECRET}"`,
      `headers: {Authorization: ${SECRET}}`,
      `token_secret: ${SECRET}`,
      `token_secret: X${SECRET}`,
      `token_secret: 1${'0'.repeat(30)}`,
      // The broken YAML is next to, inside or at the secret.
      `token: ${SECRET}\n   kind: [`,
      `token: !${SECRET} x`,
      `token: "${SECRET}`,
    ].map((field) => `${DESTINATION}    ${field}\n`),
    `name: a\ndestinations: [${SECRET}]\n`,
  ])
    assert.not.match(JSON.stringify(await problemsOf(text)), /0123456789|000000000/, text);
  for (const name of ['dms_api_token', 'token2', 'paperless_api_token_2026', 'a'.repeat(31)]) {
    const { problems } = await load({ 'a.yaml': `${DESTINATION}    token_secret: ${name}\n` });
    assert.equal(problems, [], `${name} is the name of a secret`);
  }
});

test('profiles are sorted by name, without broken ones', async ({ load }) => {
  const { profiles, problems } = await load({
    'a.yaml': named('zebra'),
    'b.yml': named('ant'),
    'c.yaml': 'name: [',
    'notes.txt': 'name: [',
    '.hidden.yaml': 'name: [',
  });
  assert.equal([...profiles.keys()], ['ant', 'zebra']);
  assert.is(problems.map(({ file }) => file).join(), 'c.yaml');
});

test('of two files with the same name, the first counts and the second is reported', async ({
  load,
}) => {
  const { profiles, problems } = await load({ 'a.yaml': MINIMAL, 'b.yaml': MINIMAL });
  assert.equal([profiles.size, problems[0]?.file, problems[0]?.profile], [1, 'b.yaml', 'minimal']);
  assert.match(problems[0]?.message ?? '', /is the name of the profile in a\.yaml already/);
});

test('a directory, a dangling link, a pipe or a huge file is reported without affecting others', async ({
  loadFrom,
  write,
}) => {
  const directory = await write({ 'z.yaml': MINIMAL });
  await mkdir(path.join(directory, 'a.yaml'));
  await symlink('nowhere', path.join(directory, 'b.yaml'));
  await makePipe(path.join(directory, 'c.yaml'));
  const huge = await open(path.join(directory, 'd.yaml'), 'w');
  await huge.truncate(2 ** 40);
  await huge.close();
  const { problems, profiles } = await within(EVENT_MS, loadFrom([directory]));
  assert.equal(
    problems.map(({ message }) => message),
    [
      'The file is a directory.',
      'The file cannot be read (ENOENT).',
      'The file is a named pipe, not a plain file.',
      'The file is larger than 262144 bytes.',
    ],
  );
  assert.ok(profiles.get('minimal'));
});

const TO_DMS = 'destinations: [{kind: dms}]\n';

test('the shipped profiles deliver to DMS_URL, along with own profiles', async ({ loadOwn }) => {
  const own = { 'a.yaml': `name: a\n${TO_DMS}` };
  const names = ['card', 'default', 'duplex', 'flatbed', 'receipts'];
  const { profiles, problems, shipped } = await loadOwn(own, DMS_URL);
  assert.equal(problems, []);
  assert.equal([...profiles.keys()], ['a', ...names]);
  assert.equal([...shipped].toSorted(), names);
  for (const { destinations } of profiles.values())
    assert.is(destinations.map(({ base_url }) => base_url).join(), DMS_URL);
  const without = await loadOwn({});
  assert.is(without.profiles.size, 0);
  assert.is(
    without.problems[0]?.message,
    '"destinations[0].base_url" is missing: set it, or the variable DMS_URL for all destinations without one.',
  );
});

test('an own profile hides the shipped one, even if broken', async ({ loadOwn }) => {
  const own = (dpi: string): Files => ({
    'mine.yaml': `name: duplex\nresolution: ${dpi}\n${TO_DMS}`,
  });
  const right = await loadOwn(own('200'), DMS_URL);
  assert.equal(right.problems, []);
  assert.is(right.profiles.get('duplex')?.resolution, 200);
  assert.not.ok(right.shipped.has('duplex'));
  const { profiles, problems } = await loadOwn(own('lots'), DMS_URL);
  assert.not.ok(profiles.has('duplex'));
  assert.is(problems.map(({ file, field }) => `${file} ${field}`).join(), 'mine.yaml resolution');
});

test('a missing directory is skipped, unless all are missing', async ({ loadFrom }) => {
  const { profiles, problems } = await loadFrom(['/nonexistent', SHIPPED], DMS_URL);
  assert.equal([profiles.size, problems], [5, []]);
  assert.is((await loadFrom(['/nonexistent'])).problems.length, 1);
});

/** A profile file per trigger. Profiles are named a, b, c … */
const triggers = (...fields: readonly string[]): Files[] =>
  fields.map((one, index) => {
    const name = 'abcde'[index] ?? '';
    return { [`${name}-file.yaml`]: named(name, `trigger: ${one}\n`) };
  });

test('a button, numbered or not, or paper can start a profile', async ({ load }) => {
  const { profiles, problems } = await load(
    ...triggers(
      '{button: scan, function: 3}',
      '{button: scan, function: 4}',
      '{paper: true}\ndevice: fujitsu:a',
      '{paper: true}\ndevice: fujitsu:b',
      '{button: button 0}',
    ),
  );
  assert.equal([[...profiles.keys()].join(''), problems], ['abcde', []]);
});

for (const [one, other] of [
  ['{paper: true}', '{paper: true}'],
  ['{paper: true}\ndevice: fujitsu:a', '{paper: true}'],
  ['{paper: true}\ndevice: ACME', '{paper: true}\ndevice: acme'],
  ['{button: scan}', '{button: scan, function: 3}'],
  ['{button: scan, function: 3}', '{button: scan, function: 3}'],
] as const) {
  test(`of ${one} and ${other} the first by name is loaded`, async ({ load }) => {
    const [a = {}, b = {}] = triggers(one, other);
    for (const directories of [[{ ...a, ...b }], [b, a]]) {
      const { profiles, problems } = await load(...directories);
      assert.equal([...profiles.keys()], ['a']);
      assert.is(problems.map(({ file }) => file).join(), 'b-file.yaml');
      const message = /^"trigger" is .*, which starts profile a already\.$/;
      assert.match(problems[0]?.message ?? '', message);
    }
  });
}

const titles = suite('document titles');

const FACTS = {
  profile: 'invoices',
  label: 'Post',
  scan_id: '20261121T063000Z-8f3a1c',
  started_at: new Date(2026, 10, 1, 7, 5),
  number: 2,
  count: 10,
  serial_number: undefined,
  first_line: '',
};

/** Facts of the scan in local time, and the suffix that tells its documents apart. */
const TITLES: [
  template: string,
  title: string,
  facts?: Partial<Parameters<typeof documentTitle>[1]>,
][] = [
  [
    '{profile} {date} {time} {scan_id} {number} of {count}',
    'invoices 2026-11-01 07:05 20261121T063000Z-8f3a1c 2 of 10',
  ],
  ['{profile}', 'invoices (2/10)'],
  // Paperless-ngx truncates longer titles.
  ['x'.repeat(200), `${'x'.repeat(120)} (2/10)`],
  ['{profile}'.repeat(20), 'invoices'.repeat(16).slice(0, 127), { count: 1 }],
  ['{n} of {count}', '2 of 10'],
  ['Mail {asn}', 'Mail 17', { serial_number: 17 }],
  ['Mail {asn}', 'Mail (2/10)'],
  ['{first_line}', 'Dear Sir,', { first_line: 'Dear Sir,' }],
  // Without a usable first line, the title is the default.
  ['{first_line}', 'Post 2026-11-01 (2/10)'],
  ...['| 12 34', '— ~ •', 'A', '12.03.2024', '=|_ |= x y ~~ |'].map(
    (first_line): [string, string, object] => [
      '{first_line}',
      'Post 2026-11-01 (2/10)',
      { first_line },
    ],
  ),
  ['{first_line}', 'Fernhill Community School', { first_line: '| Fernhill • Community School —' }],
  ['{first_line}', 'Rechnung Nr. 4711', { first_line: '> Rechnung Nr. 4711 |' }],
  ['{first_line}', '学校便り', { first_line: '学校便り' }],
  ['{label}, {first_line}', 'Post, Dear Sir', { first_line: '*Dear Sir*' }],
  ['{first_line}', 'a b {scan_id}', { first_line: 'a\u0000b\uD800\t {scan_id}' }],
];

for (const [template, title, facts] of TITLES) {
  titles(`"${template.slice(0, 60)}" becomes "${title.slice(0, 60)}"`, () => {
    assert.is(documentTitle(template, { ...FACTS, ...facts }), title);
  });
}

const suggestion = suite('the suggested profile of a scanner');

const source = (
  name: string | null,
  change: Partial<SourceDescription> = {},
): SourceDescription => ({
  source: name,
  feeder: name !== null && name !== 'Flatbed',
  sides: name === 'ADF Duplex' ? ['both'] : ['one'],
  modes: ['Color', 'Gray'],
  resolutions: [100, 200, 300, 600],
  max_page: { width_mm: 216, height_mm: 356 },
  options: [],
  ...change,
});

function suggested(...sources: SourceDescription[]): unknown[] {
  const text = suggestedProfile({ name: 'fake:0: a "name"', sources }, undefined) ?? '';
  const given = parseYaml(text) as Record<string, unknown>;
  const { error } = profileSchema({ output_dir: '/scans' }).validate(given);
  assert.is(error, undefined);
  assert.is(given['device'], 'fake:0: a "name"');
  return ['source', 'sides', 'mode', 'resolution', 'page_size'].map((field) => given[field]);
}

suggestion('scans both sides if possible, in gray at 300 dpi, A4', () => {
  const sources = [source('Flatbed'), source('ADF'), source('ADF Duplex')];
  assert.equal(suggested(...sources), ['ADF Duplex', undefined, 'Gray', 300, 'a4']);
});

suggestion('requests both sides if a driver option selects them', () => {
  const sources = [source('Flatbed'), source('ADF', { sides: ['one', 'both'] })];
  assert.equal(suggested(...sources), ['ADF', 'both', 'Gray', 300, 'a4']);
});

suggestion('uses the nearest values that the scanner has', () => {
  const max_page = { width_mm: 105.4, height_mm: 148 };
  const other = { modes: ['24bit Color'], resolutions: { min: 50, max: 200 }, max_page };
  const expected = [undefined, undefined, '24bit Color', 200, 'a6'];
  assert.equal(suggested(source(null, other)), expected);
});

suggestion('does not exist for a scanner with unknown sources', () => {
  assert.is(suggestedProfile({ name: 'fake:0', sources: [] }, undefined), undefined);
});

const reference = suite('docs/profiles.md');

const text = await readFile(path.join(ROOT, 'docs/profiles.md'), 'utf8');
const schema = profileSchema({ output_dir: '/scans', dms_url: 'http://paperless:8000' });

/** Rows of the reference: the key in the first column, the default in the second. */
const rows = [...text.matchAll(/^\| `(?<key>[a-z_.[\]]+)` *\| (?:`(?<value>[^`]+)`)? *\|/gm)].map(
  ({ groups }) => ({ key: groups?.['key'] ?? '', value: groups?.['value'] }),
);

const WHOLE = ['page_size', 'scanner_options'];

/** The keys in joi's description of a schema, such as `destinations[].kind`. */
function keysOf(description: unknown, key = ''): string[] {
  if (typeof description !== 'object' || description === null) return [];
  if (Array.isArray(description)) return description.flatMap((one) => keysOf(one, key));
  const { keys, items, ...others } = toRecord(description);
  const parts = ['matches', 'whens', 'schema', 'then', 'otherwise'].map((part) => others[part]);
  const found = [
    ...Object.entries(toRecord(keys)).flatMap(([name, value]) =>
      keysOf(value, key === '' ? name : `${key}.${name}`),
    ),
    ...keysOf(items, `${key}[]`),
    ...keysOf(parts, key),
  ];
  return found.length === 0 || WHOLE.includes(key) ? [key] : found;
}

function toRecord(value: unknown): Record<string, unknown> {
  return { ...Object(value) };
}

reference('has exactly the keys of a profile', () => {
  // The reference names a list of plain values without brackets: `tags`, not `tags[]`.
  const known = keysOf(schema.describe()).map((key) => key.replace(/(?<=\w)\[\]$/, ''));
  assert.equal(
    rows.map(({ key }) => key).toSorted(),
    [...new Set(known)].filter((key) => !known.some((one) => one.startsWith(`${key}[`))).toSorted(),
  );
});

reference('has the defaults of an empty profile', () => {
  const written: Record<string, unknown> = {};
  for (const { key, value } of rows) if (value !== undefined) putAt(written, key, parseYaml(value));
  const required = { name: 'a', destinations: [{ kind: 'dms', base_url: 'http://a' }] };
  const barcodes = { assembly: { barcodes: {} } };
  const { destinations, ...others } = written;
  const full = {
    ...required,
    ...others,
    destinations: [{ ...required.destinations[0], ...toRecord(toRecord(destinations)['0']) }],
  };
  assert.equal(Joi.attempt(full, schema), Joi.attempt({ ...required, ...barcodes }, schema));
});

function putAt(into: Record<string, unknown>, key: string, value: unknown): void {
  const [name = '', ...rest] = key.replaceAll('[]', '.0').split('.');
  const inner = toRecord(into[name]);
  if (rest.length > 0) putAt(inner, rest.join('.'), value);
  into[name] = rest.length > 0 ? inner : value;
}

const cookbook = text.slice(text.indexOf('\n## Cookbook'));
const recipes = [
  ...cookbook.matchAll(/^### (?<title>[^\n]+)\n[^#]*?^```yaml\n(?<yaml>.*?)^```$/gms),
].map(({ groups }) => ({ title: groups?.['title'] ?? '', yaml: groups?.['yaml'] ?? '' }));

reference('has a profile for each recipe of the cookbook', () => {
  const headings = [...cookbook.matchAll(/^### (.+)$/gm)].map((match) => match[1]);
  assert.equal(
    recipes.map(({ title }) => title),
    headings,
  );
});

for (const { title, yaml } of recipes) {
  reference(`has a profile of "${title}" that loads unchanged`, () => {
    const { error, value } = schema.validate(parseYaml(yaml)) as { error?: Error; value: Profile };
    assert.is(error?.message, undefined);
    assert.match(value.name, /./);
  });
}

const it = withFixture('the profile store', async (directory) => {
  const file = (name: string): string => path.join(directory, name);
  const { log, text: logged } = capturedLog();
  /** Emits `look` whenever the store begins to check its directories. */
  const looks = new EventEmitter();
  const installed: { languages?: readonly string[] } = {};
  const chosen: { device?: string; languages?: readonly string[] } = {};
  const create = (): Promise<ProfileStore> =>
    createProfileStore({
      directories: [directory],
      savedDir: path.join(directory, 'saved'),
      outputDir: '/scans',
      dmsUrl: () => undefined,
      chosen: () => chosen,
      installedLanguages: () => {
        looks.emit('look');
        return installed.languages;
      },
      log,
      lookEveryMs: 10,
    });
  await writeFile(file('a.yaml'), named('first'));
  const store = await create();
  return {
    file,
    logged,
    installed,
    chosen,
    create,
    store,
    nextLook: () => within(EVENT_MS, once(looks, 'look'), 'a look'),
    close: async () => store.close(),
  };
});

async function put(file: string, content: string): Promise<void> {
  const written = `${path.dirname(file)}.new`;
  await writeFile(written, content);
  await rename(written, file);
}

async function changed(store: ProfileStore, change: () => Promise<unknown>): Promise<void> {
  const loaded = once(store.events, 'loaded');
  await change();
  await within(EVENT_MS, loaded, 'a load of the profiles');
}

it('picks up new, changed and removed files; a profile in use stays unchanged', async ({
  store,
  file,
}) => {
  const second = file('b.yaml');
  await changed(store, () => put(second, named('second')));
  const inUse = store.get('second');
  assert.is(inUse?.resolution, 300);
  await changed(store, () => put(second, named('second', 'resolution: 600\n')));
  assert.equal([inUse?.resolution, store.get('second')?.resolution], [300, 600]);
  await changed(store, () => rm(second));
  assert.is(store.get('second'), undefined);
  assert.ok(store.get('first'));
});

it('a language that the processor lacks is an error', async ({ store, file, installed }) => {
  const french = named('first', 'processing: {languages: [eng, fra]}\n');
  await changed(store, () => put(file('a.yaml'), french));
  assert.ok(store.get('first'), 'not checked while the processor cannot be asked');

  await changed(store, async () => void (installed.languages = ['deu', 'eng']));
  assert.is(store.get('first'), undefined);
  assert.is(store.problems()[0]?.file, 'a.yaml');
  assert.match(store.problems()[0]?.message ?? '', /names fra, but the processor has deu, eng/);

  await changed(store, async () => void (installed.languages = ['deu', 'eng', 'fra']));
  assert.ok(store.get('first'));
});

it('the chosen scanner and languages are those of profiles that name none', async (given) => {
  const { store, file, chosen } = given;
  const own = named('second', 'device: auto\nprocessing: {languages: [eng]}\n');
  await changed(store, () => put(file('b.yaml'), own));
  const found = (name: string): unknown[] => {
    const { device, processing } = store.get(name) ?? {};
    return [device, processing?.languages];
  };
  assert.equal(found('first'), ['auto', ['eng']]);
  await changed(
    store,
    async () => void Object.assign(chosen, { device: 'HP', languages: ['deu'] }),
  );
  assert.equal(found('first'), ['HP', ['deu']]);
  assert.equal(found('second'), ['auto', ['eng']]);
});

it('a chosen language that is not installed is left out until it is', async (given) => {
  const { store, installed, chosen } = given;
  const languages = (): unknown => store.get('first')?.processing.languages;
  const choose = (codes: readonly string[]): Promise<void> =>
    changed(store, async () => void (chosen.languages = codes));
  await changed(store, async () => void (installed.languages = ['eng', 'deu']));
  await choose(['fra', 'deu']);
  assert.equal(languages(), ['deu']);
  await choose(['fra']);
  assert.equal(languages(), ['eng']);
  await changed(store, async () => void (installed.languages = ['eng', 'fra']));
  assert.equal(languages(), ['fra']);
});

it('too many open files change no profile; changes are picked up once there are fewer', async (bench) => {
  const { store, nextLook } = bench;
  const giveBack = await takeAllDescriptors();
  try {
    bench.installed.languages = ['eng'];
    await rm(bench.file('a.yaml'));
    // The first check may predate the change. When the third begins, the second has ended.
    for (let begun = 0; begun < 3; begun += 1) await nextLook();
    assert.ok(store.get('first'));
    assert.match(bench.logged(), /"event":"profile_refused".*EMFILE/);
  } finally {
    await giveBack();
  }
  while (store.list().length > 0) await nextLook();
  assert.equal(store.problems(), []);
});

it('a start with too many open files loads profiles later', async ({ create }) => {
  const giveBack = await takeAllDescriptors();
  const store = await create();
  const loaded = once(store.events, 'loaded');
  try {
    assert.is(store.problems()[0]?.message, 'The file cannot be read (EMFILE).');
  } finally {
    await giveBack();
  }
  await within(EVENT_MS, loaded, 'a load of the profiles');
  store.close();
  assert.ok(store.get('first'));
  assert.equal(store.problems(), []);
});
