import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { loadDirectories } from '../../../service/profiles/load-directories.ts';
import { profileSchema } from '../../../service/profiles/schema.ts';
import { assert, withFixture } from '../../support/suite.ts';

const SHIPPED = path.resolve(import.meta.dirname, '../../../profiles');
const DMS_URL = 'http://192.168.1.10:8000';
const MINIMAL = 'name: minimal\ndestinations: []\n';

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
    /** Beside those that come with the product. */
    loadOwn: async (own: Files, dmsUrl?: string) => loadFrom([await write(own), SHIPPED], dmsUrl),
    loadFrom,
    write,
    /** What is wrong with a file that has to be refused. */
    problemsOf: async (text: string): Promise<string[]> => {
      const { profiles, problems } = await load({ 'a.yaml': text });
      assert.is(profiles.size, 0, 'the profile should have been refused');
      for (const { file, message } of problems) {
        assert.is(file, 'a.yaml');
        assert.match(message, /^(?:"|The file ).*\.$/);
      }
      return problems.map(({ message }) => message);
    },
  };
});

test('a profile with a name and destinations has every other field filled in', async ({ load }) => {
  const { profiles, problems } = await load({ 'a.yaml': MINIMAL });
  assert.equal(problems, []);
  assert.equal(profiles.get('minimal'), {
    name: 'minimal',
    description: '',
    device: 'auto',
    mode: 'Gray',
    resolution: 300,
    page_size: { width_mm: 210, height_mm: 297 },
    max_pages: 200,
    scanner_options: {},
    processing: {
      languages: ['eng'],
      deskew: false,
      rotate_pages: true,
      rotate_backs: 0,
      ocr: true,
      output_type: 'pdfa',
      optimize: 1,
      low_confidence: 85,
    },
    assembly: { page_grouping: 'combined', remove_blank_pages: 'none', backs_order: 'reverse' },
    title: '{profile} {date} {time}',
    timeout_seconds: 300,
    paths: { output_dir: '/scans' },
    destinations: [],
    require_destinations: false,
  });
});

const CONVENTIONS = {
  separator: ['PATCHT'],
  asn_prefix: 'ASN',
  tag_prefix: 'TAG:',
  metadata: false,
};

test('page sizes by name become millimetres, codes are read', async ({ load }) => {
  for (const [fields, expected] of [
    ['page_size: auto', 'auto'],
    ['page_size: letter', { width_mm: 215.9, height_mm: 279.4 }],
  ] as const) {
    const { profiles } = await load({ 'a.yaml': `${MINIMAL}${fields}\n` });
    assert.equal(profiles.get('minimal')?.page_size, expected);
  }
  for (const [assembly, barcodes] of [
    ['page_grouping: blank_page', undefined],
    ['page_grouping: separator', CONVENTIONS],
    ['barcodes: {}', CONVENTIONS],
    ['barcodes: {metadata: true}', { ...CONVENTIONS, metadata: true }],
  ] as const) {
    const { profiles } = await load({ 'a.yaml': `${MINIMAL}assembly: {${assembly}}\n` });
    assert.equal(profiles.get('minimal')?.assembly.barcodes, barcodes, assembly);
  }
});

const LINE = /must be one line of text without control characters/;
const LIST = /must be a list of 1 to 10 different texts/;
const TEXT = /must be text of 1 to 100 characters without commas and control characters/;
const PLACE = /^"paths\.output_dir" must be an absolute path without \. or \.\. in it/;

/** Fields beside those of the minimal profile, which is right; what the one problem says. */
const REFUSED: readonly (readonly [fields: string, expected: RegExp])[] = [
  ['colour: true', /^"colour" is not a known key \(line 3\)\.$/],
  ['resolution: "300"', /^"resolution" must be a whole number from 50 to 2400, but is "300"\.$/],
  ['page_size: a7', /^"page_size" must be one of a3, a4.*, but is "a7"\.$/],
  ['processing: {rotate_backs: 90}', /^"processing\.rotate_backs" must be 0 or 180, but is 90\.$/],
  [
    'assembly: {page_grouping: pile}',
    /one of combined, per_page, per_sheet, separator, blank_page, but is "pile"\.$/,
  ],
  ['assembly: {remove_blank_pages: fronts}', /must be one of none, backs, all/],
  ['assembly: {barcodes: {separator: ["A,B"]}}', TEXT],
  ['assembly: {page_grouping: separator, barcodes: {separator: []}}', LIST],
  ['assembly: {barcodes: {separator: [A, A]}}', LIST],
  ['assembly: {barcodes: {separator: A}}', LIST],
  ['assembly: {barcodes: {asn_prefix: ""}}', TEXT],
  ['assembly: {barcodes: {metadata: "yes"}}', /must be true or false/],
  ['title: "{profil}"', /unknown placeholder \{profil\}.*\{profile\}/],
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
  [
    'trigger: {button: "--scan"}',
    /name of a button, as scanimage -A shows it: scan, but is "--scan"/,
  ],
  ['trigger: {button: scan, function: 1.5}', /a whole number from 0 to 99, but is 1\.5/],
  ['trigger: {button: scan, colour: red}', /"trigger\.colour" is not a known key/],
  ['trigger: paper', /"trigger" must be a mapping/],
  ['name: again', /line 3: duplicated mapping key/],
];

/** Whole files. */
const NO_PROFILES: typeof REFUSED = [
  ['destinations: []\n', /^"name" is missing\.$/],
  ['name: a\n', /^"destinations" is missing\.$/],
  [
    'name: Invoices\ndestinations: []\n',
    /^"name" must be lower-case letters, digits, _ or -.*, but is "Invoices"\.$/,
  ],
  [
    'name: a\ndestinations: [{kind: ftp, base_url: "http://x"}]\n',
    /^"destinations\[0\]\.kind" must be dms\.$/,
  ],
  ['- name\n', /^The file must be a mapping/],
  ['profile\n', /^The file must be a YAML mapping with a name\.$/],
  ['', /^The file is not valid YAML \(expected a document, but/],
  ['name: [\n', /^The file is not valid YAML \(line 2: deficient indentation\)\.$/],
  // A few lines of them can stand for gigabytes.
  ['name: &a x\ndescription: *a\ndestinations: []\n', /YAML \(line 2: aliases exceeded/],
  [`${MINIMAL}#${'x'.repeat(300_000)}`, /larger than/],
];

for (const [text, expected] of [
  ...REFUSED.map(([fields, says]) => [`${MINIMAL}${fields}\n`, says] as const),
  ...NO_PROFILES,
]) {
  test(`refuses ${JSON.stringify(text.replace(MINIMAL, '').slice(0, 60))} and says so`, async ({
    problemsOf,
  }) => {
    const problems = await problemsOf(text);
    assert.ok(problems.length > 0);
    for (const message of problems) assert.match(message, expected);
  });
}

const SECRET = '0123456789abcdef0123456789abcdef01234567';
const DESTINATION = 'name: a\ndestinations:\n  - kind: dms\n    base_url: http://paperless\n';

test('a token in the wrong place is refused, unshown', async ({ load, problemsOf }) => {
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
      // YAML that breaks beside it, in it and at it.
      `token: ${SECRET}\n   kind: [`,
      `token: !${SECRET} x`,
      `token: "${SECRET}`,
    ].map((field) => `${DESTINATION}    ${field}\n`),
    `name: a\ndestinations: [${SECRET}]\n`,
  ]) {
    const problems = await problemsOf(text);
    assert.ok(problems.length > 0);
    assert.not.match(JSON.stringify(problems), /0123456789|000000000/, text);
  }
  for (const name of ['dms_api_token', 'token2', 'paperless_api_token_2026', 'a'.repeat(31)]) {
    const { problems } = await load({ 'a.yaml': `${DESTINATION}    token_secret: ${name}\n` });
    assert.equal(problems, [], `${name} is the name of a secret`);
  }
});

const named = (name: string, fields = ''): string => `name: ${name}\ndestinations: []\n${fields}\n`;

test('profiles are sorted by name, broken ones left out', async ({ load }) => {
  const { profiles, problems } = await load({
    'a.yaml': named('zebra'),
    'b.yml': named('ant'),
    'c.yaml': 'name: [',
    'notes.txt': 'name: [',
    '.hidden.yaml': 'name: [',
  });
  assert.equal([...profiles.keys()], ['ant', 'zebra']);
  assert.equal(
    problems.map(({ file }) => file),
    ['c.yaml'],
  );
});

test('of two files with one name the first counts and the second is reported', async ({ load }) => {
  const { profiles, problems } = await load({ 'a.yaml': MINIMAL, 'b.yaml': MINIMAL });
  assert.is(profiles.size, 1);
  assert.is(problems[0]?.file, 'b.yaml');
  assert.match(problems[0]?.message ?? '', /is the name of the profile in a\.yaml already/);
  assert.is(problems[0]?.profile, 'minimal');
});

test('a directory or a dangling link is reported', async ({ loadFrom, write }) => {
  const directory = await write({});
  await mkdir(path.join(directory, 'a.yaml'));
  await symlink('nowhere', path.join(directory, 'b.yaml'));
  const { problems } = await loadFrom([directory]);
  assert.is(problems.length, 2);
  assert.match(problems[0]?.message ?? '', /not a regular file/);
});

const TO_DMS = 'destinations: [{kind: dms}]\n';

test('the shipped profiles deliver to DMS_URL, beside the own', async ({ loadOwn }) => {
  const { profiles, problems, shipped } = await loadOwn(
    { 'a.yaml': `name: a\n${TO_DMS}` },
    DMS_URL,
  );
  assert.equal(problems, []);
  assert.equal([...profiles.keys()], ['a', 'default', 'duplex', 'flatbed', 'receipts']);
  assert.equal([...shipped].toSorted(), ['default', 'duplex', 'flatbed', 'receipts']);
  for (const { destinations } of profiles.values()) {
    assert.equal(
      destinations.map(({ base_url }) => base_url),
      [DMS_URL],
    );
  }
  const without = await loadOwn({});
  assert.is(without.profiles.size, 0);
  assert.is(
    without.problems[0]?.message,
    '"destinations[0].base_url" is missing: set it, or the variable DMS_URL for all destinations without one.',
  );
});

test('an own profile hides the shipped one, broken or not', async ({ loadOwn }) => {
  const own = (dpi: string): Files => ({
    'mine.yaml': `name: duplex\nresolution: ${dpi}\n${TO_DMS}`,
  });
  const right = await loadOwn(own('200'), DMS_URL);
  assert.equal(right.problems, []);
  assert.is(right.profiles.get('duplex')?.resolution, 200);
  assert.not.ok(right.shipped.has('duplex'));
  const { profiles, problems } = await loadOwn(own('lots'), DMS_URL);
  assert.not.ok(profiles.has('duplex'));
  assert.equal(
    problems.map(({ file, field }) => [file, field]),
    [['mine.yaml', 'resolution']],
  );
});

test('a directory that does not exist is skipped, unless none exists', async ({ loadFrom }) => {
  const { profiles, problems } = await loadFrom(['/nonexistent', SHIPPED], DMS_URL);
  assert.is(profiles.size, 4);
  assert.equal(problems, []);
  assert.is((await loadFrom(['/nonexistent'])).problems.length, 1);
});

const triggers = (...fields: readonly string[]): Files =>
  Object.fromEntries(
    fields.map((one, index) => {
      const name = 'abcde'[index] ?? '';
      return [`${name}-file.yaml`, named(name, `trigger: ${one}`)];
    }),
  );

test('a button, numbered or not, or paper starts a profile', async ({ load }) => {
  const { profiles, problems } = await load(
    triggers(
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
    const both = triggers(one, other);
    const [a, b] = Object.entries(both).map((entry): Files => Object.fromEntries([entry]));
    for (const directories of [[both], [b ?? {}, a ?? {}]]) {
      const { profiles, problems } = await load(...directories);
      assert.equal([...profiles.keys()], ['a']);
      assert.equal(
        problems.map(({ file }) => file),
        ['b-file.yaml'],
      );
      const message = /^"trigger" is .*, which starts profile a already\.$/;
      assert.match(problems[0]?.message ?? '', message);
    }
  });
}
