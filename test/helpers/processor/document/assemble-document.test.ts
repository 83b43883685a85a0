import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { programEnvironment, runProgram } from '../../../../helpers/child-process.ts';
import {
  assembleDocument,
  type AssembledDocument,
} from '../../../../helpers/processor/document/assemble-document.ts';
import { composePage, type JobContext } from '../../../../helpers/processor/page/page-scripts.ts';
import { Failure } from '../../../../helpers/failure.ts';
import type { DocumentOptions } from '../../../../helpers/processor-contract.ts';
import {
  TIME_LIMITS_MS,
  type TimeLimits,
} from '../../../../helpers/processor/tools/time-limits.ts';
import { recognizeText } from '../../../../helpers/processor/page/tesseract.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { rejection } from '../../../support/rejection.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { withFixture, type Fixture } from '../../../support/with-fixture.ts';
import { fakePrograms } from '../support/fake-programs.ts';
import { archiveLevelOf, factsOf, imagesOf, placedWords, textOf } from '../support/inspect-pdf.ts';
import { pageTiff } from '../support/page-samples.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

interface AssembleOptions extends Partial<DocumentOptions> {
  /** Body of a shell script that stands in for OCRmyPDF. */
  readonly ocrmypdf?: string;
  readonly limits?: Partial<TimeLimits>;
}

interface Bench extends Fixture {
  readonly directory: string;
  /** A one-page PDF without text, so many pixels wide. */
  readonly blankPage: (width: number) => Promise<string>;
  /** A one-page PDF with the upper part of a shipped page. */
  readonly textPage: (name: string) => Promise<string>;
  readonly assemble: (
    pages: readonly string[],
    given?: AssembleOptions,
  ) => Promise<AssembledDocument>;
}

const test = withFixture(suite('assembling a document'), async (): Promise<Bench> => {
  const temporary = await temporaryDirectory();
  const { path: directory } = temporary;
  const context = async (programs = {}): Promise<JobContext> => ({
    toolbox: { searchPath: await fakePrograms(directory, programs) },
    directory,
    timeoutMs: 30_000,
    signal: new AbortController().signal,
  });
  const compose = async (tiff: string, text: string | null): Promise<string> => {
    const out = tiff.replace('.tif', '.pdf');
    await composePage({ tiff, out, dpi: 300, optimize: 1, text, jbig2: null }, await context());
    return out;
  };
  return {
    directory,
    blankPage: async (width) => {
      const file = path.join(directory, `blank-${width}.tif`);
      await writeTiff(file, graySample(width, 200));
      return compose(file, null);
    },
    textPage: async (name) => {
      const image = await pageTiff(directory, name, { height: 700 });
      const recognition = await recognizeText(image, ['eng'], await context());
      assert.ok(recognition.ok);
      return compose(image.file, recognition.ok ? recognition.textPdf : null);
    },
    assemble: async (pages, { ocrmypdf, limits, ...options } = {}) => {
      const own = path.join(directory, 'request');
      await mkdir(own);
      const { toolbox, signal } = await context(ocrmypdf === undefined ? {} : { ocrmypdf });
      return assembleDocument(
        {
          pages,
          directory: own,
          signal,
          options: { title: '', output_type: 'pdfa', languages: ['eng'], ...options },
        },
        { toolbox, limits: { ...TIME_LIMITS_MS, ...limits }, log: capturedLog().log },
      );
    },
    close: () => temporary.remove(),
  };
});

/** What qpdf says of the structure of a PDF. */
async function check(pdf: string): Promise<void> {
  const program = { file: 'qpdf', args: ['--check', pdf], cwd: '/', env: programEnvironment() };
  const { exitCode, stdout, stderr } = await runProgram(program, { timeoutMs: 30_000 });
  assert.is(exitCode, 0, stdout + stderr);
}

async function codeOf(promise: Promise<unknown>): Promise<string> {
  const error = await rejection(promise);
  assert.instance(error, Failure, String(error));
  return `${(error as Failure).code}: ${(error as Failure).message}`;
}

test('pages become one PDF/A in their order, with their words in their places', async ({
  textPage,
  blankPage,
  assemble,
}) => {
  const pages = [await textPage('invoice'), await blankPage(300), await textPage('letter-bank')];
  const title = 'Über <Äpfel> & "Birnen" 日本';
  const document = await assemble(pages, { title });
  assert.equal(document.warnings, []);
  await check(document.pdf);
  const facts = await factsOf(document.pdf);
  assert.is(facts['Pages'], '3');
  assert.is(facts['Title'], title);
  assert.is(await archiveLevelOf(document.pdf), '2B');
  assert.match(facts['Creator'] ?? '', /OCRmyPDF/i);
  assert.ok(Math.abs(Date.parse(facts['CreationDate'] ?? '') - Date.now()) < 86_400_000);
  const images = await imagesOf(document.pdf);
  assert.equal(
    images.map(({ width }) => width),
    [2480, 300, 2480],
  );
  for (const [index, page] of pages.entries()) {
    assert.equal(await placedWords(document.pdf, index + 1), await placedWords(page));
  }
});

test('a plain PDF is one, and has no title where none was given', async ({
  textPage,
  assemble,
}) => {
  const document = await assemble([await textPage('invoice')], { output_type: 'pdf' });
  assert.equal(document.warnings, []);
  await check(document.pdf);
  const facts = await factsOf(document.pdf);
  assert.is(await archiveLevelOf(document.pdf), undefined);
  assert.is(facts['Title'] ?? '', '');
});

test('a page that is no PDF is unreadable_page, by its number', async ({
  directory,
  blankPage,
  assemble,
}) => {
  const bad = path.join(directory, 'bad.pdf');
  await writeFile(bad, 'II*\0');
  assert.match(await codeOf(assemble([await blankPage(300), bad])), /^unreadable_page: .*page 2/);
});

/** What an OCRmyPDF may do wrong: the pages are there all the same, and a warning tells. */
const FAULTS: readonly (readonly [string, string, RegExp])[] = [
  [
    'fails',
    'echo broken >&2; exit 15',
    /^OCRmyPDF ended with exit code 15: broken \(another error\): the pages were merged/,
  ],
  [
    'crashes',
    'kill -SEGV $$',
    /^OCRmyPDF was killed by SIGSEGV: the pages were merged without it$/,
  ],
  ['hangs', 'sleep 600', /^OCRmyPDF was ended after \d s: /],
  ['prints garbage', 'head -c 5000 /dev/urandom', /but its document is not complete/],
  ['prints nothing', 'exit 0', /but its document is not complete/],
  ['is cut off', '/usr/bin/ocrmypdf "$@" | head -c 2000', /but its document is not complete/],
];

for (const [what, ocrmypdf, warning] of FAULTS) {
  test(`an OCRmyPDF that ${what} costs no page and no word`, async ({
    textPage,
    blankPage,
    assemble,
  }) => {
    const page = await textPage('invoice');
    const limits = what === 'hangs' ? { document: 2500, documentPage: 0 } : {};
    const title = 'Merged';
    const { pdf, warnings } = await assemble([page, await blankPage(300)], {
      ocrmypdf,
      limits,
      title,
    });
    assert.is(warnings.length, 1);
    assert.match(warnings[0] ?? '', warning);
    await check(pdf);
    const facts = await factsOf(pdf);
    assert.is(facts['Pages'], '2');
    assert.is(facts['Title'], title);
    assert.is(await archiveLevelOf(pdf), '2B');
    assert.is((await textOf(pdf)).trim(), (await textOf(page)).trim());
  });
}

test('an OCRmyPDF that calls a page unreadable is believed', async ({ blankPage, assemble }) => {
  const pages = [await blankPage(300)];
  const ocrmypdf = 'echo "page 1 is not a PDF" >&2; exit 2';
  assert.is(await codeOf(assemble(pages, { ocrmypdf })), 'unreadable_page: page 1 is not a PDF');
});

test.run();
