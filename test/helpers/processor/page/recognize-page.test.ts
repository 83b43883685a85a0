import { access } from 'node:fs/promises';
import path from 'node:path';
import type { PageWork } from '../../../../helpers/processor/page/page-work.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import { outputOf } from '../../../support/programs.ts';
import { recoveredShare, shippedPage } from '../../../support/pages.ts';
import { assert, failure } from '../../../support/suite.ts';
import { brokenWorker } from '../support/broken-worker.ts';
import { fakePrograms, REAL_PATH } from '../support/fake-programs.ts';
import { oneShotPython } from '../support/job-context.ts';
import { factsOf, imagesOf, placedWords, textOf, type PlacedWord } from '../support/inspect-pdf.ts';
import {
  drawing,
  pageTests,
  pageTiff,
  recognized,
  scanned,
  type PageBench,
} from '../support/page-samples.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

const test = pageTests('recognising a page');

const POINTS_PER_PIXEL = 72 / 300;

/** The words of an image with their places, in points, straight from Tesseract. */
async function wordsOfTesseract({ file }: PageImage): Promise<PlacedWord[]> {
  const args = [file, '-', '--dpi', '300', '--psm', '3', 'tsv'];
  const stdout = await outputOf('tesseract', args, { env: { OMP_THREAD_LIMIT: '1' } });
  const rows = stdout.split('\n').map((line) => line.split('\t'));
  return rows
    .filter((row) => row[0] === '5' && row[11]?.trim() !== '')
    .map((row) => {
      const [left = 0, top = 0, width = 0, height = 0] = row
        .slice(6, 10)
        .map((pixels) => Number(pixels) * POINTS_PER_PIXEL);
      return { text: row[11] ?? '', left, top, right: left + width, bottom: top + height };
    });
}

/**
 * Whether the two are the same word at the same place: it begins where it is printed, on the same line, and ends there but
 * for the last letter, which pdftotext leaves out of the widths that Tesseract writes.
 */
function isAt(found: PlacedWord, expected: PlacedWord): boolean {
  const middle = (found.top + found.bottom) / 2;
  const letter = (expected.right - expected.left) / expected.text.length;
  return (
    decoded(found.text) === expected.text &&
    Math.abs(found.left - expected.left) < 2 &&
    found.right < expected.right + 2 &&
    found.right > expected.right - letter - 2 &&
    middle > expected.top - 3 &&
    middle < expected.bottom + 3
  );
}

/** The text of a word without the entities of HTML. */
function decoded(text: string): string {
  return text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&amp;', '&');
}

test('a page becomes a PDF of its size, each word in place', async ({ directory, recognize }) => {
  const image = await pageTiff(directory, 'letter-landlord');
  const page = await recognize(image.file);
  assert.equal(page.warnings, []);
  assert.is(page.facts.turned, 0);
  const facts = await factsOf(page.pdf);
  assert.is(facts['Pages'], '1');
  assert.match(facts['Page size'] ?? '', /^595\.2 x 841\.92 pts/);
  assert.equal(await imagesOf(page.pdf), [
    { width: 2480, height: 3508, encoding: 'jpeg', dpi: 300 },
  ]);
  const { text } = shippedPage('letter-landlord');
  assert.ok(recoveredShare(text, await textOf(page.pdf)) > 0.98);
  const placed = await placedWords(page.pdf);
  const expected = await wordsOfTesseract(image);
  const misplaced = expected.filter((word) => !placed.some((found) => isAt(found, word)));
  assert.ok(expected.length > 300);
  assert.ok(
    misplaced.length <= expected.length * 0.02,
    `${misplaced.length} of ${expected.length}: ${JSON.stringify(misplaced.slice(0, 5))}`,
  );
});

test('an empty page and dust do not become words', async ({ directory, recognize }) => {
  for (const name of ['blank-back-plain', 'blank-back-dust']) {
    const { file } = await pageTiff(directory, name);
    const { pdf, warnings, facts } = await recognize(file);
    assert.equal(warnings, []);
    assert.equal(await placedWords(pdf), [], name);
    assert.is(facts.unread, undefined);
  }
});

test('a page of ink without text is known as unread', async ({ directory, recognize }) => {
  const file = path.join(directory, 'drawing.tif');
  const curve =
    '<path d="M200 700 C400 100 800 100 1000 700" stroke="#222" stroke-width="9" fill="none"/>';
  await scanned(file, drawing([1200, 900], '#f4f4f2', curve));
  const read = await recognize(file);
  assert.equal([read.facts.words, read.facts.unread, read.facts.blank], [0, true, null]);
  assert.equal(read.warnings, []);
  const picture = await recognize(file, { options: { ocr: false } });
  assert.is(picture.facts.unread, undefined);
});

/** What a Tesseract may do wrong, and how the page says so. */
const FAULTS: readonly (readonly [string, string, RegExp])[] = [
  ['crashes', 'kill -SEGV $$', /^text recognition was killed by SIGSEGV: the page has no text$/],
  [
    'fails',
    'echo "no memory" >&2; exit 1',
    /^text recognition ended with exit code 1: no memory: /,
  ],
  ['writes nothing', 'exit 0', /^text recognition wrote no text: the page has no text$/],
  [
    'writes half a file',
    '/usr/bin/tesseract "$@"; truncate -s -100 "$2.pdf"',
    /^the recognised text could not be added/,
  ],
  [
    'tells garbage of its words',
    'head -c 5000000 /dev/urandom > "$2.json"; echo x > "$2.pdf"',
    /^text recognition wrote no text: the page has no text$/,
  ],
  ['hangs', 'sleep 600', /^text recognition was ended after \d+ s: the page has no text$/],
];

for (const [what, script, warning] of FAULTS) {
  test(`a Tesseract that ${what} costs only the text`, async ({ directory, recognize }) => {
    const file = path.join(directory, 'scanned.tif');
    await writeTiff(file, graySample(600, 400));
    const searchPath = await fakePrograms(directory, { tesseract: script });
    const limits = { recognition: what === 'hangs' ? 700 : 20_000 };
    const { pdf, warnings } = await recognize(file, { searchPath, limits });
    assert.is(warnings.length, 1, warnings.join('; '));
    assert.match(warnings[0] ?? '', warning);
    assert.equal(await imagesOf(pdf), [{ width: 600, height: 400, encoding: 'jpeg', dpi: 300 }]);
    assert.equal(await placedWords(pdf), []);
  });
}

test('a second look without end costs only its time', async ({ directory, recognize }) => {
  const { file } = await pageTiff(directory, 'letter-landlord', { height: 600 });
  // The first look reports one word, so that nearly all ink was left unread.
  const baseLine = [
    [300, 300],
    [700, 300],
  ];
  const word = ['Ropeworks', 95, 300, 250, 700, 300, baseLine, false];
  const lines = [{ sideways: false, base_line: baseLine, height: 50, words: [word] }];
  const script = [
    'case "$1" in *second-look*) : > began; sleep 600;; esac',
    `echo '${JSON.stringify(lines)}' > "$2.json"`,
    'exec /usr/bin/tesseract "$@"',
  ].join('\n');
  const searchPath = await fakePrograms(directory, { tesseract: script });
  const { pdf, warnings } = await recognize(file, { searchPath, limits: { recognition: 5000 } });
  await access(path.join(directory, 'began'));
  assert.equal(warnings, []);
  const words = await placedWords(pdf);
  assert.equal(
    words.map(({ text }) => text),
    ['Ropeworks'],
  );
});

/** The work on a page by an OCRmyPDF that does as these lines say. */
async function brokenWork(
  { directory, workOn }: PageBench,
  tiff: string,
  lines: string,
): Promise<PageWork> {
  const script = await brokenWorker(directory, 'ocrmypdf.ocr', lines);
  const { job, parts } = workOn(tiff);
  const toolbox = { ...parts.toolbox, python: oneShotPython(REAL_PATH, script) };
  return { job, parts: { ...parts, toolbox } };
}

test('an OCRmyPDF that fails is a failure with its reason', async (bench) => {
  const { file } = await writeTiff(path.join(bench.directory, 'scanned.tif'), graySample(600, 400));
  const fails = 'raise ocrmypdf.exceptions.SubprocessOutputError("broken")';
  const made = recognized(await brokenWork(bench, file, fails));
  const { message } = await failure('processing_failed', made);
  assert.match(message, /SubprocessOutputError: broken/);
});

test('an OCRmyPDF that fails once costs no text', async (bench) => {
  const { file } = await pageTiff(bench.directory, 'invoice', { height: 500 });
  const failsOnce = `try:
    os.mkdir(${JSON.stringify(path.join(bench.directory, 'failed'))})
except FileExistsError:
    return working(*given, **options)
raise OSError(23, "Too many open files in system")`;
  const { pdf, warnings } = await recognized(await brokenWork(bench, file, failsOnce));
  assert.equal(warnings, []);
  assert.ok((await placedWords(pdf)).length > 5);
});
