import { rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../../../helpers/failure.ts';
import {
  findTools,
  type InstalledTools,
} from '../../../../helpers/processor/tools/installed-tools.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { assert, rejection, withFixture, within } from '../../../support/suite.ts';
import { jobContext, oneShotPython } from '../support/job-context.ts';

const EVENT_MS = 60_000;
const REFRESH_MS = 50;

const test = withFixture('the programs that are installed', async (directory) => {
  const { log, text } = capturedLog();
  const found: InstalledTools[] = [];
  return {
    directory,
    logged: text,
    find: async (programs: Record<string, string> = {}): Promise<InstalledTools> => {
      const tools = await findTools(await jobContext(directory, { programs }), log, REFRESH_MS);
      found.push(tools);
      return tools;
    },
    close: () => Promise.all(found.map((tools) => tools.close())),
  };
});

/** How Tesseract lists its languages. */
const LANGUAGES = String.raw`printf '%s\n' 'List of available languages (3):' eng osd script/Latin`;

/** Resolves when that is so: nobody tells when what is installed has been looked at. */
async function until(isSo: () => boolean, what: string): Promise<void> {
  const search = async (): Promise<void> => {
    while (!isSo()) await new Promise((done) => setImmediate(done));
  };
  await within(EVENT_MS, search(), what);
}

/** Replaces Tesseract at once: it is asked all the time. */
async function installTesseract(directory: string, body: string): Promise<void> {
  const file = path.join(directory, 'fake-bin', 'tesseract');
  await writeFile(`${file}.new`, `#!/bin/sh\n${body}\n`, { mode: 0o755 });
  await rename(`${file}.new`, file);
}

test('have a version each', async ({ find }) => {
  const { versions } = await find();
  for (const name of ['ocrmypdf', 'tesseract', 'python', 'pikepdf', 'pillow', 'numpy']) {
    assert.match(versions[name] ?? '', /^\d+(?:\.\d+)+/, name);
  }
});

test('an encoder for JBIG2 is used where it is there, or works later', async ({ find }) => {
  assert.is((await find({ jbig2: 'echo "jbig2enc 0.30" >&2' })).versions['jbig2'], '0.30');
  const tools = await find({ jbig2: 'mkdir asked 2>&1 && exit 1; echo "jbig2enc 0.30"' });
  assert.not.ok('jbig2' in tools.versions);
  await until(() => 'jbig2' in tools.versions, 'jbig2');
  assert.is(tools.versions['jbig2'], '0.30');
});

test('one that is missing or broken is named, with how to get it', async ({ directory, find }) => {
  await find();
  await installTesseract(directory, 'echo gone >&2; exit 127');
  const error = String(await rejection(find()));
  assert.match(error, /tesseract --list-langs ended with exit code 127: gone/);
  assert.match(error, /apt-get install ocrmypdf/);
});

for (const [what, part] of [
  ['OCRmyPDF', 'python'],
  ['Tesseract', 'recognizers'],
] as const) {
  test(`a Python without ${what} is told with what it said`, async ({ directory }) => {
    const script = path.join(directory, 'worker.py');
    await writeFile(script, 'import no_such_module');
    const context = await jobContext(directory);
    const without = oneShotPython(context.toolbox.searchPath, script);
    const toolbox = { ...context.toolbox, [part]: without };
    const error = String(await rejection(findTools({ ...context, toolbox }, capturedLog().log)));
    assert.match(error, new RegExp(`^Error: ${what} for Python cannot be used`));
    assert.match(error, /No module named 'no_such_module'.*apt-get install ocrmypdf/s);
  });
}

test('languages are those of Tesseract without its other models', async ({ directory, find }) => {
  await find();
  await installTesseract(directory, LANGUAGES);
  const tools = await find();
  assert.equal(tools.languages(), ['eng', 'script/Latin']);
  tools.checkLanguages(['eng']);
  assert.throws(
    () => tools.checkLanguages(['eng', 'chi_sim']),
    (error: unknown) =>
      error instanceof Failure &&
      error.code === 'language_missing' &&
      /language chi_sim.*tesseract-ocr-chi-sim/.test(error.message),
  );
});

test('a language installed later is found, without a program', async ({ directory, find }) => {
  await find();
  const count = path.join(directory, 'count');
  await installTesseract(directory, `echo >> ${count}; ${LANGUAGES}`);
  const tools = await find();
  await installTesseract(directory, LANGUAGES.replace('eng osd', 'eng osd chi_sim'));
  await until(() => tools.languages().includes('chi_sim'), 'the language');
  tools.checkLanguages(['eng', 'chi_sim']);
});

/** What Tesseract says of a directory that it cannot open. */
const NO_DIRECTORY = 'TESSDATA_PREFIX=/nonexistent exec /usr/bin/tesseract --list-langs';

for (const [what, body, reason] of [
  ['broke', 'echo broken >&2; exit 1', '--list-langs ended with exit code 1: broken'],
  ['cannot open its directory', NO_DIRECTORY, 'Tesseract has no languages'],
] as const) {
  test(`a Tesseract that ${what} keeps its languages`, async ({ directory, find, logged }) => {
    const tools = await find();
    await installTesseract(directory, body);
    await until(() => logged().includes(reason), 'the line in the log');
    tools.checkLanguages(['eng']);
  });
}

test('without languages, the error says how to install one', async ({ directory, find }) => {
  await find();
  await installTesseract(directory, NO_DIRECTORY);
  const error = String(await rejection(find()));
  assert.match(error, /Tesseract has no languages \(.*"\/nonexistent.*apt-get.* tesseract-ocr-eng/);
});
