import { randomBytes } from 'node:crypto';
import { mkdtemp, stat } from 'node:fs/promises';
import path from 'node:path';
import { assembleDocument } from '../../../../helpers/processor/document/assemble-document.ts';
import type { DocumentOptions } from '../../../../helpers/processor-contract.ts';
import {
  TIME_LIMITS_MS,
  type TimeLimits,
} from '../../../../helpers/processor/tools/time-limits.ts';
import { recognizeText } from '../../../../helpers/processor/page/tesseract.ts';
import { pageMemory } from '../../../../helpers/processor/tools/memory.ts';
import { createPythonJobs } from '../../../../helpers/processor/tools/python-jobs.ts';
import { WORKER_SCRIPT } from '../../../../helpers/processor/tools/python-worker.ts';
import { outputOf } from '../../../support/programs.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { brokenWorker } from '../support/broken-worker.ts';
import { composed, jobContext, keptToolbox } from '../support/job-context.ts';
import {
  archiveLevelOf,
  objectsOf,
  factsOf,
  imagesOf,
  placedWords,
} from '../support/inspect-pdf.ts';
import { pageTiff } from '../support/page-samples.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

interface AssembleOptions extends Partial<DocumentOptions> {
  /** Lines of Python that stand in for the job in worker.py. */
  readonly broken?: string;
  readonly limits?: Partial<TimeLimits>;
}

const kept = keptToolbox();
const test = withFixture('assembling a document', async (directory) => {
  const context = await jobContext(directory, { toolbox: kept });
  const german = { languages: ['deu'], language: 'de' };
  return {
    directory,
    /** A one-page PDF without text, so many pixels wide. */
    blankPage: async (width: number): Promise<string> => {
      const tiff = path.join(directory, `blank-${width}.tif`);
      await writeTiff(tiff, graySample(width, 200));
      return composed({ tiff, ...german }, context);
    },
    /** A one-page PDF with the upper part of a shipped page. */
    textPage: async (name: string): Promise<string> => {
      const image = await pageTiff(directory, name, { height: 700 });
      const recognition = await recognizeText(image, ['eng'], context);
      assert.ok(recognition.ok);
      const text = recognition.ok ? recognition.text : null;
      return composed({ tiff: image.file, text, ...german }, context);
    },
    assemble: async (
      pdfs: readonly string[],
      { broken, limits, ...options }: AssembleOptions = {},
    ): Promise<string> => {
      const own = await mkdtemp(path.join(directory, 'request-'));
      const script = broken && (await brokenWorker(own, "worker.JOBS['assemble']", broken));
      const where = script === undefined ? { toolbox: kept } : { script };
      const { toolbox, signal } = await jobContext(own, where);
      const { file, pageCount } = await assembleDocument(
        { pdfs, directory: own, signal, options: { title: '', output_type: 'pdfa', ...options } },
        { toolbox, limits: { ...TIME_LIMITS_MS, ...limits }, log: capturedLog().log },
      );
      assert.is(String(pageCount), (await factsOf(file))['Pages']);
      return file;
    },
  };
});
test.after(() => kept.close());

/** Throws what qpdf has against the structure of a PDF. */
const check = (pdf: string): Promise<string> => outputOf('qpdf', ['--check', pdf]);

test('pages merged early are as any: order, words', async ({ textPage, blankPage, assemble }) => {
  const pages = [await textPage('invoice'), await textPage('letter-bank'), await blankPage(300)];
  const again = await textPage('minutes');
  const options = { title: 'Title' };
  const directly = await assemble([...pages, again, ...pages], options);
  const bundle = await assemble(pages, { output_type: 'pdf' });
  const merged = await assemble([bundle, again, bundle], options);
  await check(merged);
  assert.is(await archiveLevelOf(merged), '2B');
  assert.equal(await imagesOf(merged), await imagesOf(directly));
  for (const page of [1, 2, 4, 5, 6]) {
    assert.equal(await placedWords(merged, page), await placedWords(directly, page));
  }
  const undated = async (file: string): Promise<object> =>
    Object.entries(await factsOf(file)).filter(([name]) => !/Date$|^File size$/.test(name));
  assert.equal(await undated(merged), await undated(directly));
  const sizes = await Promise.all([merged, directly].map(async (file) => (await stat(file)).size));
  const [size = 0, direct = 0] = sizes;
  assert.ok(Math.abs(size - direct) < 500, sizes.join());
});

/** What the job may do wrong: there is no other way to a document, so that it is a failure with its reason. */
const FAULTS: readonly (readonly [string, string, RegExp])[] = [
  ['fails', 'raise ValueError("broken")', /ValueError: broken/],
  ['crashes', 'os.kill(os.getpid(), signal.SIGSEGV)', /was killed by SIGSEGV/],
  // Not at once: a document gets time for every megabyte.
  ['hangs', 'time.sleep(600)', /was ended after [1-9]\d* s/],
  ['ends the process', 'os._exit(3)', /ended with exit code 3/],
  ['asks for the end', 'raise SystemExit(4)', /ended with exit code 4/],
  ['wants more memory than there is', 'bytearray(1 << 45)', /memory/],
];

for (const [what, broken, reason] of FAULTS) {
  test(`an assembly that ${what} is a failure with its reason`, async ({ blankPage, assemble }) => {
    const limits = what === 'hangs' ? { document: 1, documentMegabyte: 2500 } : {};
    const code = what.startsWith('wants') ? 'page_too_large' : 'processing_failed';
    const assembled = assemble([await blankPage(300)], { broken, limits });
    assert.match((await failure(code, assembled)).message, reason);
  });
}

test('a title is text, whatever it looks like', async ({ blankPage, assemble }) => {
  for (const title of ['--help', '-', '$(id); "x"', "'"]) {
    const document = await assemble([await blankPage(300)], { title });
    assert.is((await factsOf(document))['Title'], title);
  }
});

test('a process that made documents keeps its memory for pages', async ({ directory }) => {
  const context = await jobContext(directory);
  const { searchPath } = context.toolbox;
  const { log } = capturedLog();
  const python = createPythonJobs({ searchPath, log, script: WORKER_SCRIPT });
  const toolbox = { ...context.toolbox, python };
  const colour = { ...graySample(2480, 3508), bits: [8, 8, 8], photometric: 2 };
  const tiff = path.join(directory, 'colour.tif');
  // Noise, of which nothing can be spared.
  await writeTiff(tiff, { ...colour, pixels: randomBytes(2480 * 3508 * 3) });
  const memoryBytes = pageMemory({ pixels: 2480 * 3508, gray: false });
  try {
    for (let round = 0; round < 3; round += 1) {
      const page = await composed({ tiff }, { ...context, toolbox, memoryBytes });
      const options = { title: '', output_type: 'pdfa' } as const;
      const job = { pdfs: [page, page], directory, options, signal: context.signal };
      await assembleDocument(job, { toolbox, limits: TIME_LIMITS_MS, log });
    }
  } finally {
    await python.close();
  }
});

test('a document says its language and shows its title', async ({ blankPage, assemble }) => {
  const document = await assemble([await blankPage(300)], { title: 'Rechnung' });
  const objects = await objectsOf(document);
  assert.match(objects, /"\/Lang": "(?:u:)?de"/);
  assert.match(objects, /"\/DisplayDocTitle": true/);
  const untitled = await objectsOf(await assemble([await blankPage(301)], { title: '' }));
  assert.not.match(untitled, /DisplayDocTitle/);
});
