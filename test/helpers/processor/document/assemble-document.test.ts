import { randomBytes } from 'node:crypto';
import { mkdtemp, stat } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { programEnvironment, runProgram } from '../../../../helpers/child-process.ts';
import { assembleDocument } from '../../../../helpers/processor/document/assemble-document.ts';
import type { DocumentOptions, PageOptions } from '../../../../helpers/processor-contract.ts';
import {
  TIME_LIMITS_MS,
  type TimeLimits,
} from '../../../../helpers/processor/tools/time-limits.ts';
import { pageMemory } from '../../../../helpers/processor/tools/memory.ts';
import { createPythonJobs } from '../../../../helpers/processor/tools/python-jobs.ts';
import { WORKER_SCRIPT } from '../../../../helpers/processor/tools/python-worker.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { shippedPage } from '../../../support/pages.ts';
import { outputOf } from '../../../support/programs.ts';
import { assert, failure, withFixture } from '../../../support/suite.ts';
import { brokenWorker } from '../support/broken-worker.ts';
import { REAL_PATH } from '../support/fake-programs.ts';
import {
  archiveLevelOf,
  objectsOf,
  factsOf,
  imagesOf,
  placedWords,
  textOf,
} from '../support/inspect-pdf.ts';
import { composed, jobContext, keptToolbox, toolboxAt } from '../support/job-context.ts';
import { CARD, CARD_BACK, CARD_FRONT, cardOnGlass } from '../support/card-sample.ts';
import { pageTiff, pageWork, recognized, scanned } from '../support/page-samples.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

interface AssembleOptions extends Partial<DocumentOptions> {
  /** Lines of Python that replace the job in worker.py. */
  readonly broken?: string;
  readonly limits?: Partial<TimeLimits>;
}

const NEVER = new AbortController().signal;

const kept = await keptToolbox();
const test = withFixture('assembling a document', (directory) => {
  const pageOf = async (tiff: string, options: Partial<PageOptions> = {}): Promise<string> => {
    const own = await mkdtemp(path.join(directory, 'page-'));
    return (await recognized(pageWork(own, tiff, { toolbox: kept, options }))).pdf;
  };
  return Promise.resolve({
    directory,
    pageOf,
    blankPage: async (width: number): Promise<string> => {
      const tiff = path.join(directory, `blank-${width}.tif`);
      await writeTiff(tiff, graySample(width, 200));
      const german = { languages: ['deu'], language: 'de' };
      return composed({ tiff, ...german }, jobContext(directory, kept));
    },
    textPage: async (name: string): Promise<string> =>
      pageOf((await pageTiff(directory, name, { height: 480 })).file),
    assemble: async (
      pdfs: readonly string[],
      { broken, limits, ...options }: AssembleOptions = {},
    ): Promise<string> => {
      const own = await mkdtemp(path.join(directory, 'request-'));
      const script = broken && (await brokenWorker(own, "worker.JOBS['assemble']", broken));
      const toolbox = script === undefined ? kept : toolboxAt(REAL_PATH, script);
      const given = { title: '', output_type: 'pdfa', ...options } as const;
      const { file, pageCount } = await assembleDocument(
        { pdfs, directory: own, signal: NEVER, options: given },
        { toolbox, limits: { ...TIME_LIMITS_MS, ...limits }, log: capturedLog().log },
      );
      assert.is(String(pageCount), (await factsOf(file))['Pages']);
      return file;
    },
  });
});
test.after(() => kept.close());

const check = (pdf: string): Promise<string> => outputOf('qpdf', ['--check', pdf]);

test('pages merged early keep order and words like others', async ({
  textPage,
  blankPage,
  assemble,
}) => {
  const pages = [await textPage('invoice'), await blankPage(300)];
  const again = await textPage('letter-bank');
  const options = { title: 'Title' };
  const directly = await assemble([...pages, again, ...pages], options);
  const bundle = await assemble(pages, { output_type: 'pdf' });
  const merged = await assemble([bundle, again, bundle], options);
  await check(merged);
  assert.is(await archiveLevelOf(merged), '2B');
  assert.equal(await imagesOf(merged), await imagesOf(directly));
  for (const page of [1, 3, 4]) {
    assert.equal(await placedWords(merged, page), await placedWords(directly, page));
  }
  const undated = async (file: string): Promise<object> =>
    Object.entries(await factsOf(file)).filter(([name]) => !/Date$|^File size$/.test(name));
  assert.equal(await undated(merged), await undated(directly));
  const sizes = await Promise.all([merged, directly].map(async (file) => (await stat(file)).size));
  const [size = 0, direct = 0] = sizes;
  assert.ok(Math.abs(size - direct) < 500, sizes.join());
});

/** Each of these faults fails the request, since no other program can make the document. */
const FAULTS: readonly (readonly [string, string, RegExp])[] = [
  ['fails', 'raise ValueError("broken")', /ValueError: broken/],
  ['crashes', 'os.kill(os.getpid(), signal.SIGSEGV)', /was killed by SIGSEGV/],
  // The time limit grows with the size of the pages.
  ['hangs', 'time.sleep(600)', /was ended after [1-9]\d* s/],
  ['asks for the end', 'raise SystemExit(4)', /ended with exit code 4/],
  ['wants more memory than a job has', 'bytearray(2 << 30)', /memory/],
];

for (const [what, broken, reason] of FAULTS) {
  test(`an assembly that ${what} fails with its reason`, async ({ blankPage, assemble }) => {
    const limits = what === 'hangs' ? { document: 1, documentMegabyte: 2500 } : {};
    const code = what.startsWith('wants') ? 'page_too_large' : 'processing_failed';
    const assembled = assemble([await blankPage(300)], { broken, limits });
    assert.match((await failure(code, assembled)).message, reason);
  });
}

test('a title is just text, whatever it looks like', async ({ blankPage, assemble }) => {
  for (const title of ['--help', '-', '$(id); "x"', "'"]) {
    const document = await assemble([await blankPage(300)], { title });
    assert.is((await factsOf(document))['Title'], title);
  }
});

test('a process that made documents can still process pages', async ({ directory }) => {
  const { log } = capturedLog();
  const python = createPythonJobs({ searchPath: REAL_PATH, log, script: WORKER_SCRIPT });
  const toolbox = { ...kept, python };
  const colour = { ...graySample(2480, 3508), samplesPerPixel: 3, photometric: 2 };
  const tiff = path.join(directory, 'colour.tif');
  await writeTiff(tiff, { ...colour, pixels: randomBytes(2480 * 3508 * 3) });
  const memoryBytes = pageMemory({ pixels: 2480 * 3508, gray: false });
  try {
    for (let round = 0; round < 3; round += 1) {
      const page = await composed({ tiff }, jobContext(directory, toolbox, { memoryBytes }));
      const options = { title: '', output_type: 'pdfa' } as const;
      const job = { pdfs: [page, page], directory, options, signal: NEVER };
      await assembleDocument(job, { toolbox, limits: TIME_LIMITS_MS, log });
    }
  } finally {
    await python.close();
  }
});

test('a document declares its language and shows its title', async ({ blankPage, assemble }) => {
  const document = await assemble([await blankPage(300)], { title: 'Rechnung' });
  const objects = await objectsOf(document);
  assert.match(objects, /"\/Lang": "(?:u:)?de"/);
  assert.match(objects, /"\/DisplayDocTitle": true/);
  const untitled = await objectsOf(await assemble([await blankPage(301)], { title: '' }));
  assert.not.match(untitled, /DisplayDocTitle/);
});

const JARS = '/usr/share/java';

/** Files of Debian's libpdfbox2-java, libjaxb-api-java and libactivation-java. */
const CLASS_PATH = [
  'preflight',
  'pdfbox2',
  'xmpbox',
  'fontbox2',
  'commons-io',
  'commons-logging',
  'javax.activation',
  'jaxb-api',
].map((name) => path.join(JARS, `${name}.jar`));

/** Time limit for validation, which takes Java a few seconds per large page on a busy machine. */
const VALIDATION_MS = 60_000;

/** The validator knows only PDF/A part 1. It complains about these features of part 2. */
const ALLOWED_IN_PART_2 = [
  '1.4 : Trailer Syntax error, /XRef cross reference streams are not allowed',
  '7.11.2 : Error on MetaData, part must be 1',
];

/** Returns the complaints of PDFBox Preflight, an independent validator, about a PDF/A-2b file. */
async function validatePdfA(pdf: string): Promise<string[]> {
  const args = ['-cp', CLASS_PATH.join(':'), 'org.apache.pdfbox.preflight.Validator_A1b', pdf];
  const program = { file: 'java', args, cwd: '/', env: programEnvironment() };
  const { stdout, stderr } = await runProgram(program, { timeoutMs: VALIDATION_MS });
  const lines = stdout.split('\n');
  if (!lines.some((line) => line.startsWith('The file '))) {
    throw new Error(`the validator did not come to an end: ${stdout}${stderr}`);
  }
  return lines.filter(
    (line) => /^\d+(?:\.\d+)* : /.test(line) && !ALLOWED_IN_PART_2.includes(line),
  );
}

test('an independent validator accepts a document of every kind of page as PDF/A, but no plain PDF', async (given) => {
  const { directory, pageOf, assemble } = given;
  const gray = (await pageTiff(directory, 'letter-bank', { height: 480 })).file;
  const bilevel = (await pageTiff(directory, 'invoice', { height: 490, bilevel: true })).file;
  const area = { left: 0, top: 0, width: 2000, height: 900 };
  const upper = sharp(shippedPage('letter-bank').file).extract(area);
  const colour = await scanned(path.join(directory, 'colour.tif'), upper, { mode: 'colour' });
  const layered = await pageOf(colour.file, { optimize: 3 });
  assert.is((await imagesOf(layered)).length, 3);
  const photo = sharp(shippedPage('brochure-color').file).extract(area);
  const { file } = await scanned(path.join(directory, 'photo.tif'), photo, { mode: 'colour' });
  // Pages in every encoding: gray text, color, line art, no text at all, text in layers.
  const pages = [
    await pageOf(gray, { optimize: 1 }),
    await pageOf(bilevel, { optimize: 1 }),
    await given.blankPage(400),
    await pageOf(file, { optimize: 1, ocr: false }),
    await pageOf(file, { optimize: 0, ocr: false }),
    await pageOf(gray, { optimize: 0, ocr: false }),
    layered,
  ];
  const title = 'Größe & <Tee>';
  const document = await assemble(pages, { title });
  assert.is(await archiveLevelOf(document), '2B');
  assert.equal(await validatePdfA(document), []);
  const plain = await assemble([layered], { title, output_type: 'pdf' });
  assert.is.not((await validatePdfA(plain)).length, 0);
});

const GAP_MM = 10;
const POINTS_PER_MM = 72 / 25.4;

const NOTHING = { width: 0, height: 0 };

/** The size of the first page in points. */
async function sizeOf(pdf: string): Promise<typeof NOTHING> {
  const { 'Page size': size = '' } = await factsOf(pdf);
  const [width = 0, height = 0] = (size.match(/[\d.]+/g) ?? []).map(Number);
  return { width, height };
}

const isNear = (found: number, wanted: number): boolean =>
  Math.abs(found - wanted) < 0.5 * POINTS_PER_MM;

for (const [paper, width_mm, height_mm] of [
  ['A4', 210, 297],
  ['Letter', 215.9, 279.4],
] as const) {
  test(`the sides of a card are on one page of ${paper}, at true size, their text on the ink`, async ({
    directory,
    pageOf,
    assemble,
  }) => {
    const pdfs = await Promise.all(
      [CARD_FRONT, CARD_BACK].map(async (lines) => {
        const tiff = path.join(directory, `${paper}-${lines[0]}.tif`);
        await scanned(tiff, cardOnGlass(lines), { mode: 'colour' });
        return pageOf(tiff, { crop: true });
      }),
    );
    const card = await assemble(pdfs, { card_paper: { width_mm, height_mm } });
    await check(card);
    assert.is(await archiveLevelOf(card), '2B');
    assert.is((await factsOf(card))['Pages'], '1');
    const { width, height } = await sizeOf(card);
    assert.ok(isNear(width, width_mm * POINTS_PER_MM), String(width));
    assert.ok(isNear(height, height_mm * POINTS_PER_MM), String(height));
    const text = (await textOf(card)).replaceAll(/\s+/g, ' ');
    for (const line of [...CARD_FRONT, ...CARD_BACK]) assert.match(text, line);

    for (const { dpi } of await imagesOf(card)) assert.is(dpi, 300);
    const sizes = await Promise.all(pdfs.map(sizeOf));
    for (const cut of sizes) {
      assert.ok(cut.width - CARD.width * POINTS_PER_MM < 4 * POINTS_PER_MM, JSON.stringify(cut));
    }
    const [front = NOTHING, back = NOTHING] = sizes;
    const gap = GAP_MM * POINTS_PER_MM;
    const top = (height - front.height - gap - back.height) / 2;
    const words = await placedWords(card);
    for (const [pdf, above, side, word] of [
      [pdfs[0], top, front, 'MUSTERMANN'],
      [pdfs[1], top + front.height + gap, back, 'Heidestrasse'],
    ] as const) {
      const own = (await placedWords(pdf ?? '')).find(({ text: one }) => one === word);
      const found = words.find(({ text: one }) => one === word);
      if (!own || !found) throw new Error(`there is no ${word}`);
      assert.ok(isNear(found.top, above + own.top), word);
      assert.ok(isNear(found.left, (width - side.width) / 2 + own.left), word);
      assert.ok(isNear(found.right - found.left, own.right - own.left), word);
    }
  });
}

test('pages that are too large for one paper stay apart', async ({ blankPage, assemble }) => {
  const pages = [await blankPage(300), await blankPage(2000)];
  const card_paper = { width_mm: 100, height_mm: 148 };
  const { Pages: count } = await factsOf(await assemble(pages, { card_paper }));
  assert.is(count, '2');
});
