import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { loadDirectories } from '../../../service/profiles/load-directories.ts';
import { profileSchema } from '../../../service/profiles/schema.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const test = suite('what at the scanner starts a profile');

interface Loaded {
  readonly names: readonly string[];
  readonly problems: readonly (readonly [file: string, message: string])[];
}

/** Loads profiles of two directories; each file is `name: fields`. */
async function load(...directories: readonly Record<string, string>[]): Promise<Loaded> {
  const temporary = await temporaryDirectory();
  const paths: string[] = [];
  for (const [index, files] of directories.entries()) {
    const directory = path.join(temporary.path, String(index));
    paths.push(directory);
    await mkdir(directory);
    for (const [name, fields] of Object.entries(files)) {
      const text = `name: ${name}\ndestinations: []\n${fields}\n`;
      await writeFile(path.join(directory, `${name}-file.yaml`), text);
    }
  }
  const { profiles, problems } = await loadDirectories(paths, profileSchema({ output_dir: '/s' }));
  await temporary.remove();
  return {
    names: [...profiles.keys()],
    problems: problems.map(({ file, message }) => [file, message]),
  };
}

test('a button, with a function number or without, or paper', async () => {
  const { names, problems } = await load({
    a: 'trigger: {button: scan, function: 3}',
    b: 'trigger: {button: scan, function: 4}',
    c: 'trigger: {paper: true}',
    d: 'trigger: {button: button 0}',
    e: '',
  });
  assert.equal([names, problems], [['a', 'b', 'c', 'd', 'e'], []]);
});

const WRONG: readonly (readonly [string, RegExp])[] = [
  ['{}', /must have either button or paper/],
  ['{button: scan, paper: true}', /must have either button or paper/],
  ['{function: 3}', /must have either button or paper|function without a button/],
  ['{paper: false}', /"trigger\.paper" must be true, but is false/],
  [
    '{button: "--scan"}',
    /must be the name of a button, as scanimage -A shows it: scan, but is "--scan"/,
  ],
  ['{button: scan, function: 1.5}', /must be a whole number from 0 to 99, but is 1\.5/],
  ['{button: scan, colour: red}', /"trigger\.colour" is not a known key/],
  ['paper', /"trigger" must be a mapping/],
];
for (const [trigger, message] of WRONG) {
  test(`${trigger} is refused`, async () => {
    const { names, problems } = await load({ a: `trigger: ${trigger}` });
    assert.equal(names, []);
    assert.match(problems.map(([, text]) => text).join('\n'), message);
  });
}

const CONFLICTS: readonly (readonly [string, string])[] = [
  ['trigger: {paper: true}', 'trigger: {paper: true}'],
  ['trigger: {paper: true}\ndevice: fujitsu:a', 'trigger: {paper: true}'],
  ['trigger: {paper: true}\ndevice: ACME', 'trigger: {paper: true}\ndevice: acme'],
  ['trigger: {button: scan}', 'trigger: {button: scan, function: 3}'],
  ['trigger: {button: scan, function: 3}', 'trigger: {button: scan, function: 3}'],
];
for (const [one, other] of CONFLICTS) {
  test(`of ${one} and ${other} the first by name is loaded, in whichever directory`, async () => {
    const message = /^"trigger" is .*, which starts profile a already\.$/;
    for (const directories of [[{ a: one, b: other }], [{ b: other }, { a: one }]]) {
      const { names, problems } = await load(...(directories as Record<string, string>[]));
      assert.equal(names, ['a']);
      assert.is(problems.length, 1);
      assert.is(problems[0]?.[0], 'b-file.yaml');
      assert.match(problems[0]?.[1] ?? '', message);
    }
  });
}

test('two scanners have a trigger each', async () => {
  const of = (device: string): string => `trigger: {paper: true}\ndevice: ${device}`;
  const { names } = await load({ a: of('fujitsu:a'), b: of('fujitsu:b') });
  assert.equal(names, ['a', 'b']);
});

test.run();
