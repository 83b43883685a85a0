import { mkdir, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadProfiles, type LoadedProfiles } from '../../../service/profiles/load.ts';
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

async function problemOf(text: string): Promise<string> {
  const { profiles, problems } = await load({ 'a.yaml': text });
  assert.is(profiles.size, 0, 'the profile should have been refused');
  assert.is(problems.length, 1);
  assert.is(problems[0]?.file, 'a.yaml');
  return problems[0]?.problem ?? '';
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
      output_type: 'pdfa',
      optimize: 1,
    },
    assembly: { page_grouping: 'combined', remove_blank_pages: 'none' },
    title: '{profile} {date} {time}',
    timeout_seconds: 300,
    paths: { output_dir: '/scans' },
    destinations: [],
  });
});

test('the profile of the design loads as written', async () => {
  const { profiles, problems } = await load({
    'invoices.yaml': `
name: invoices
description: Duplex A4 invoices
device: auto
source: ADF Duplex
mode: Gray
resolution: 300
page_size: {width_mm: 100, height_mm: 200}
max_pages: 50
scanner_options: {brightness: 10, swdeskew: true, df-action: Stop}
processing: {languages: [eng, deu], deskew: true, rotate_pages: false, output_type: pdf, optimize: 0}
assembly: {page_grouping: per_page}
title: "{profile} {number}/{count}"
timeout_seconds: 60
paths: {output_dir: /elsewhere}
destinations:
  - {kind: dms, base_url: "http://paperless:8000", tags: [3], correspondent: 1, document_type: 2, storage_path: 1}
`,
  });
  assert.equal(problems, []);
  const profile = profiles.get('invoices');
  assert.is(profile?.source, 'ADF Duplex');
  assert.equal(profile?.page_size, { width_mm: 100, height_mm: 200 });
  assert.equal(profile?.scanner_options, { brightness: 10, swdeskew: true, 'df-action': 'Stop' });
  assert.is(profile?.processing.output_type, 'pdf');
  assert.is(profile?.assembly.page_grouping, 'per_page');
  assert.is(profile?.paths.output_dir, '/elsewhere');
  assert.is(profile?.destinations[0]?.token_secret, 'dms_api_token');
});

test('a loaded profile is frozen to its depth', async () => {
  const { profiles } = await load({ 'a.yaml': MINIMAL });
  const profile = profiles.get('minimal');
  assert.ok(Object.isFrozen(profile));
  assert.ok(Object.isFrozen(profile?.processing.languages));
});

test('a base_url may begin with HTTP:// as browsers accept it', async () => {
  const yaml = 'name: a\ndestinations: [{kind: dms, base_url: "HTTP://Paperless:8000"}]\n';
  const { profiles, problems } = await load({ 'a.yaml': yaml });
  assert.equal(problems, []);
  assert.is(profiles.get('a')?.destinations.length, 1);
});

test('page sizes by name become millimetres', async () => {
  const { profiles } = await load({ 'a.yaml': `${MINIMAL}page_size: letter\n` });
  assert.equal(profiles.get('minimal')?.page_size, { width_mm: 215.9, height_mm: 279.4 });
});

const REFUSED: [string, string, RegExp][] = [
  ['an unknown key', `${MINIMAL}colour: true\n`, /"colour" is not allowed/],
  ['a missing name', 'destinations: []\n', /"name" is required/],
  ['missing destinations', 'name: a\n', /"destinations" is required/],
  ['a name with capitals', 'name: Invoices\ndestinations: []\n', /"name".*found "Invoices"/],
  [
    'a number in quotes',
    `${MINIMAL}resolution: "300"\n`,
    /"resolution" must be a number, found "300"/,
  ],
  ['an unknown page size', `${MINIMAL}page_size: a7\n`, /"page_size" must be one of a3, a4/],
  ['an unknown page grouping', `${MINIMAL}assembly: {page_grouping: pile}\n`, /page_grouping/],
  [
    'separator sheets, not built yet',
    `${MINIMAL}assembly: {page_grouping: separator}\n`,
    /not available/,
  ],
  [
    'blank page removal, not built yet',
    `${MINIMAL}assembly: {remove_blank_pages: backs}\n`,
    /not available/,
  ],
  [
    'an unknown placeholder in the title',
    `${MINIMAL}title: "{profil}"\n`,
    /unknown placeholder \{profil\}.*\{profile\}/,
  ],
  [
    'a relative output directory',
    `${MINIMAL}paths: {output_dir: scans}\n`,
    /must be an absolute path/,
  ],
  [
    'a destination kind that is not there',
    'name: a\ndestinations: [{kind: ftp, base_url: "http://x"}]\n',
    /kind/,
  ],
  ['a list instead of a mapping', '- name\n', /"value" must be of type object|mapping/],
  ['a single word', 'profile\n', /mapping/],
  ['an empty file', '', /YAML/],
  ['broken YAML', 'name: [\n', /YAML/],
  ['a duplicate key', `${MINIMAL}name: again\n`, /YAML/],
  [
    'aliases, of which a few lines can stand for gigabytes',
    'name: &a x\ndescription: *a\ndestinations: []\n',
    /YAML/,
  ],
  ['a file that is too large to be a profile', `${MINIMAL}#${'x'.repeat(300_000)}`, /larger than/],
];

for (const [what, text, expected] of REFUSED) {
  test(`refuses ${what} and says so`, async () => {
    assert.match(await problemOf(text), expected);
  });
}

test('names every wrong field at once', async () => {
  const problem = await problemOf(`${MINIMAL}resolution: 1\nmode: 5\n`);
  assert.match(problem, /"resolution"/);
  assert.match(problem, /"mode"/);
});

test('a broken file is left out and the rest load', async () => {
  const { profiles, problems } = await load({ 'a.yaml': 'name: [', 'b.yml': MINIMAL });
  assert.equal([...profiles.keys()], ['minimal']);
  assert.is(problems.length, 1);
});

test('of two files with one name the first counts and the second is reported', async () => {
  const { profiles, problems } = await load({ 'a.yaml': MINIMAL, 'b.yaml': MINIMAL });
  assert.is(profiles.size, 1);
  assert.is(problems[0]?.file, 'b.yaml');
  assert.match(problems[0]?.problem ?? '', /another file has a profile named "minimal"/);
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
    assert.match(loaded.problems[0]?.problem ?? '', /not a regular file/);
  } finally {
    await directory.remove();
  }
});

test('a directory that is not there is a problem, not a crash', async () => {
  const loaded = await loadProfiles('/nonexistent', profileSchema({ output_dir: '/scans' }));
  assert.is(loaded.profiles.size, 0);
  assert.match(loaded.problems[0]?.problem ?? '', /cannot be read/);
});

test.run();
