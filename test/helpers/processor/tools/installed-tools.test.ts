import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { findTools } from '../../../../helpers/processor/tools/installed-tools.ts';
import { Failure } from '../../../../helpers/failure.ts';
import { rejection } from '../../../support/rejection.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture } from '../../../support/with-fixture.ts';
import { fakePrograms, REAL_PATH } from '../support/fake-programs.ts';

const test = withFixture(suite('the programs that are installed'), async () => {
  const temporary = await temporaryDirectory();
  return { directory: temporary.path, close: () => temporary.remove() };
});

/** How Tesseract lists its languages. */
const LANGUAGES = String.raw`printf '%s\n' 'List of available languages (3):' eng osd script/Latin`;

/** Replaces a program altogether: that of `fakePrograms` has questions for its version answered by the real one. */
function replace(directory: string, name: string, body: string): Promise<void> {
  const file = path.join(directory, 'fake-bin', name);
  return writeFile(file, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
}

test('tells the version of each', async () => {
  const { versions } = await findTools(REAL_PATH);
  for (const name of ['ocrmypdf', 'tesseract', 'ghostscript', 'python', 'pikepdf', 'pillow']) {
    assert.match(versions[name] ?? '', /^\d+(?:\.\d+)+$/, name);
  }
});

test('an encoder for JBIG2 is used where it is there, and not missed', async ({ directory }) => {
  const searchPath = await fakePrograms(directory, { jbig2: 'echo "jbig2enc 0.30" >&2' });
  assert.is((await findTools(searchPath)).versions['jbig2'], '0.30');
  await fakePrograms(directory, { jbig2: 'exit 1' });
  assert.not.ok('jbig2' in (await findTools(searchPath)).versions);
});

test('programs that are not there are named all at once, with how to get them', async ({
  directory,
}) => {
  const error = String(await rejection(findTools(directory)));
  for (const name of ['ocrmypdf', 'tesseract', 'ghostscript']) {
    assert.match(error, `${name} is not installed`);
  }
  assert.match(error, /apt-get install ocrmypdf/);
});

test('a program that is there but broken is told with what it said', async ({ directory }) => {
  const searchPath = await fakePrograms(directory, {});
  await replace(directory, 'gs', 'echo "libgs is gone" >&2; exit 127');
  const error = String(await rejection(findTools(searchPath)));
  assert.match(error, /ghostscript ended with exit code 127: libgs is gone/);
});

test('languages are those of Tesseract without its other models, asked anew', async ({
  directory,
}) => {
  const searchPath = await fakePrograms(directory, {});
  const install = (languages: string): Promise<void> =>
    replace(
      directory,
      'tesseract',
      `[ "$1" = --version ] && exec /usr/bin/tesseract --version\n${languages}`,
    );
  await install(LANGUAGES);
  const tools = await findTools(searchPath);
  assert.equal(await tools.languages(), ['eng', 'script/Latin']);
  const error = await rejection(tools.checkLanguages(['eng', 'chi_sim']));
  assert.instance(error, Failure);
  assert.is((error as Failure).code, 'language_missing');
  assert.match((error as Failure).message, /no language chi_sim.*tesseract-ocr-chi-sim/);
  await install(LANGUAGES.replace('eng osd', 'eng osd chi_sim'));
  await tools.checkLanguages(['eng', 'chi_sim']);
  assert.ok((await tools.languages()).includes('chi_sim'));
});

test('a Tesseract that broke since is an error, and languages it had are still let through', async ({
  directory,
}) => {
  const searchPath = await fakePrograms(directory, {});
  const tools = await findTools(searchPath);
  await replace(directory, 'tesseract', 'echo broken >&2; exit 1');
  await tools.checkLanguages(['eng']);
  assert.match(
    String(await rejection(tools.languages())),
    /--list-langs ended with exit code 1: broken/,
  );
});

test.run();
