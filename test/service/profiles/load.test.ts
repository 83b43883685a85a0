import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadProfiles, type LoadedProfiles } from '../../../service/profiles/load.ts';
import type { ProfileProblem } from '../../../service/profiles/problems.ts';
import { profileSchema } from '../../../service/profiles/schema.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite('loading profiles');

const MINIMAL = 'name: minimal\ndestinations: []\n';

async function load(files: Record<string, string>): Promise<LoadedProfiles> {
  const directory = await temporaryDirectory();
  try {
    for (const [name, text] of Object.entries(files)) {
      await writeFile(path.join(directory.path, name), text);
    }
    return await loadProfiles(directory.path, profileSchema({ output_dir: '/scans' }));
  } finally {
    await directory.remove();
  }
}

async function problemsOf(text: string): Promise<readonly ProfileProblem[]> {
  const { profiles, problems } = await load({ 'a.yaml': text });
  assert.is(profiles.size, 0, 'the profile should have been refused');
  for (const { file, message } of problems) {
    assert.is(file, 'a.yaml');
    assert.match(message, /^(?:"|The file ).*\.$/);
  }
  return problems;
}

async function problemOf(text: string): Promise<string> {
  const problems = await problemsOf(text);
  assert.is(problems.length, 1);
  return problems[0]?.message ?? '';
}

test('a profile with a name and destinations has every other field filled in', async () => {
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

test('page sizes by name become millimetres, but auto', async () => {
  const auto = `${MINIMAL.replace('minimal', 'auto')}page_size: auto\n`;
  const { profiles } = await load({ 'a.yaml': `${MINIMAL}page_size: letter\n`, 'b.yaml': auto });
  assert.is(profiles.get('auto')?.page_size, 'auto');
  assert.equal(profiles.get('minimal')?.page_size, { width_mm: 215.9, height_mm: 279.4 });
});

const MUST_BE_TEXT = 'must be one line of text without control characters';

/** Beside the minimal profile, which is right. */
const REFUSED: [what: string, text: string, expected: RegExp][] = [
  ['an unknown key', `${MINIMAL}colour: true\n`, /^"colour" is not a known key \(line 3\)\.$/],
  ['a missing name', 'destinations: []\n', /^"name" is missing\.$/],
  ['missing destinations', 'name: a\n', /^"destinations" is missing\.$/],
  [
    'a name with capitals',
    'name: Invoices\ndestinations: []\n',
    /^"name" must be lower-case letters, digits, _ or -.*, but is "Invoices"\.$/,
  ],
  [
    'a number in quotes',
    `${MINIMAL}resolution: "300"\n`,
    /^"resolution" must be a whole number from 50 to 2400, but is "300"\.$/,
  ],
  [
    'an unknown page size',
    `${MINIMAL}page_size: a7\n`,
    /^"page_size" must be one of a3, a4.*, but is "a7"\.$/,
  ],
  [
    'another turn of backs',
    `${MINIMAL}processing: {rotate_backs: 90}\n`,
    /^"processing\.rotate_backs" must be 0 or 180, but is 90\.$/,
  ],
  [
    'an unknown page grouping',
    `${MINIMAL}assembly: {page_grouping: pile}\n`,
    /^"assembly\.page_grouping" must be one of combined, per_page, per_sheet, separator, blank_page, but is "pile"\.$/,
  ],
  [
    'an unknown placeholder in the title',
    `${MINIMAL}title: "{profil}"\n`,
    /unknown placeholder \{profil\}.*\{profile\}/,
  ],
  ['a title of two lines', `${MINIMAL}title: |\n  one\n  two\n`, /control characters/],
  ['a title with a tab', `${MINIMAL}title: "a\tb"\n`, /control characters/],
  ['a title with DEL', `${MINIMAL}title: "a\\x7fb"\n`, /control characters/],
  ['an empty title', `${MINIMAL}title: ""\n`, /^"title" must be text of 1 to 200 characters/],
  ['a device that is an option', `${MINIMAL}device: --version\n`, /must not begin with a dash/],
  ['a device of two lines', `${MINIMAL}device: "a\\nb"\n`, new RegExp(MUST_BE_TEXT)],
  ['a source with DEL', `${MINIMAL}source: "ADF\\x7f"\n`, new RegExp(MUST_BE_TEXT)],
  ['an empty mode', `${MINIMAL}mode: ""\n`, new RegExp(MUST_BE_TEXT)],
  [
    'a scanner option of two lines',
    `${MINIMAL}scanner_options: {a: "1\\n2"}\n`,
    /^"scanner_options\.a" must be one line of text/,
  ],
  [
    'a scanner option with a dash in front',
    `${MINIMAL}scanner_options: {--a: 1}\n`,
    /must be the name of an option without dashes/,
  ],
  ...['scans', '/a/../b', '/a/..', '/./a', '"/a\\n"'].map((directory): (typeof REFUSED)[number] => [
    `the output directory ${directory}`,
    `${MINIMAL}paths: {output_dir: ${directory}}\n`,
    /^"paths\.output_dir" must be an absolute path without \. or \.\. in it/,
  ]),
  [
    'a destination of an unknown kind',
    'name: a\ndestinations: [{kind: ftp, base_url: "http://x"}]\n',
    /^"destinations\[0\]\.kind" must be dms\.$/,
  ],
  ['a list instead of a mapping', '- name\n', /^The file must be a mapping/],
  ['a single word', 'profile\n', /^The file must be a YAML mapping with a name\.$/],
  ['an empty file', '', /^The file is not valid YAML \(expected a document, but/],
  ['broken YAML', 'name: [\n', /^The file is not valid YAML \(line 2: deficient indentation\)\.$/],
  ['a duplicate key', `${MINIMAL}name: again\n`, /line 3: duplicated mapping key/],
  [
    'aliases, of which a few lines can stand for gigabytes',
    'name: &a x\ndescription: *a\ndestinations: []\n',
    /YAML \(line 2: aliases exceeded/,
  ],
  ['a file that is too large to be a profile', `${MINIMAL}#${'x'.repeat(300_000)}`, /larger than/],
];

for (const [what, text, expected] of REFUSED) {
  test(`refuses ${what} and says so`, async () => {
    assert.match(await problemOf(text), expected);
  });
}

const SECRET = '0123456789abcdef0123456789abcdef01234567';
const DESTINATION = 'name: a\ndestinations:\n  - kind: dms\n    base_url: http://paperless\n';

/** What people write where a token does not belong. */
const LEAKS: [what: string, text: string][] = [
  ['a password in the address', DESTINATION.replace('paperless', `me:${SECRET}@paperless`)],
  ['a token in the query', DESTINATION.replace('paperless', `paperless/?token=${SECRET}`)],
  ['a token in the fragment', DESTINATION.replace('paperless', `paperless/#${SECRET}`)],
  ['an address that is none', DESTINATION.replace('http://paperless', `${SECRET} x`)],
  ['an unknown key token', `${DESTINATION}    token: ${SECRET}\n`],
  ['an unknown key api_token', `${DESTINATION}    api_token: "${SECRET}"\n`],
  ['an unknown key with a mapping', `${DESTINATION}    headers: {Authorization: ${SECRET}}\n`],
  ['the token as the name of the secret', `${DESTINATION}    token_secret: ${SECRET}\n`],
  ['a token in capitals', `${DESTINATION}    token_secret: X${SECRET}\n`],
  ['a token that is a number', `${DESTINATION}    token_secret: 1${'0'.repeat(30)}\n`],
  ['a destination that is a token', `name: a\ndestinations: [${SECRET}]\n`],
  ['YAML that breaks beside it', `${DESTINATION}    token: ${SECRET}\n   kind: [\n`],
  ['YAML that breaks in it', `${DESTINATION}    token: !${SECRET} x\n`],
  ['YAML that breaks at it', `${DESTINATION}    token: "${SECRET}\n`],
];

for (const [what, text] of LEAKS) {
  test(`${what}: is refused without a word of it`, async () => {
    const problems = await problemsOf(text);
    assert.ok(problems.length > 0);
    assert.not.match(JSON.stringify(problems), /0123456789|000000000/);
  });
}

for (const secret of ['dms_api_token', 'token2', 'paperless_api_token_2026', 'a'.repeat(31)]) {
  test(`${secret} is the name of a secret`, async () => {
    const { problems } = await load({ 'a.yaml': `${DESTINATION}    token_secret: ${secret}\n` });
    assert.equal(problems, []);
  });
}

test('a broken file is left out and the rest load', async () => {
  const { profiles, problems } = await load({ 'a.yaml': 'name: [', 'b.yml': MINIMAL });
  assert.equal([...profiles.keys()], ['minimal']);
  assert.is(problems.length, 1);
});

test('of two files with one name the first counts and the second is reported', async () => {
  const { profiles, problems } = await load({ 'a.yaml': MINIMAL, 'b.yaml': MINIMAL });
  assert.is(profiles.size, 1);
  assert.is(problems[0]?.file, 'b.yaml');
  assert.match(problems[0]?.message ?? '', /is the name of the profile in a\.yaml already/);
  assert.is(problems[0]?.profile, 'minimal');
});

test('profiles are sorted by name, and other files are no profiles', async () => {
  const named = (name: string): string => `name: ${name}\ndestinations: []\n`;
  const { profiles, problems } = await load({
    'a.yaml': named('zebra'),
    'b.yaml': named('ant'),
    'notes.txt': 'name: [',
    '.hidden.yaml': 'name: [',
  });
  assert.equal([...profiles.keys()], ['ant', 'zebra']);
  assert.equal(problems, []);
});

test('a directory or a dangling link with the name of a profile is reported', async () => {
  const directory = await temporaryDirectory();
  try {
    await mkdir(path.join(directory.path, 'a.yaml'));
    await symlink('nowhere', path.join(directory.path, 'b.yaml'));
    const loaded = await loadProfiles(directory.path, profileSchema({ output_dir: '/scans' }));
    assert.is(loaded.problems.length, 2);
    assert.match(loaded.problems[0]?.message ?? '', /not a regular file/);
  } finally {
    await directory.remove();
  }
});

test.run();
