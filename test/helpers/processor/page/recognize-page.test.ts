import { access } from 'node:fs/promises';
import path from 'node:path';
import { createPythonJobs } from '../../../../helpers/processor/tools/python-jobs.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { recoveredShare, shippedPage, wordsOf } from '../../../support/pages.ts';
import { assert, failure } from '../../../support/suite.ts';
import { brokenWorker } from '../support/broken-worker.ts';
import { factsOf, imagesOf, placedWords, textOf } from '../support/inspect-pdf.ts';
import {
  drawing,
  pageTests,
  pageTiff,
  scanned,
  twoBlocks,
  type PageBench,
} from '../support/page-samples.ts';
import { graySample, writeTiff } from '../support/tiff-sample.ts';

const test = await pageTests('recognizing a page');

test('a page becomes a PDF of its size, with its words', async ({ directory, recognize }) => {
  const { file } = await pageTiff(directory, 'letter-landlord', { height: 1300 });
  const { facts, warnings, pdf } = await recognize(file);
  assert.equal([facts.turned, warnings], [0, []]);
  const info = await factsOf(pdf);
  assert.is(info['Pages'], '1');
  assert.match(info['Page size'] ?? '', /^595\.2 x 312 pts/);
  const [image] = await imagesOf(pdf);
  assert.equal(image, { page: 1, width: 2480, height: 1300, encoding: 'jpeg', dpi: 300 });
  const read = await textOf(pdf);
  assert.ok(wordsOf(read).length > 100);
  assert.ok(recoveredShare(read, shippedPage('letter-landlord').text) > 0.98, read);
});

test('dust and print that shines through do not become words', async ({ directory, recognize }) => {
  for (const name of ['blank-back-shine', 'blank-back-dust']) {
    const { file } = await pageTiff(directory, name, { height: 1500 });
    const { pdf, warnings, facts } = await recognize(file);
    assert.equal(warnings, []);
    assert.equal(await placedWords(pdf), [], name);
    assert.equal([facts.words, facts.unread], [0, undefined]);
  }
});

test('a page of ink without text counts as unread', async ({ directory, recognize }) => {
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
    /^the recognized text could not be added/,
  ],
  [
    'tells garbage of its words',
    'head -c 5000000 /dev/urandom > "$2.json"; echo x > "$2.pdf"',
    /^text recognition wrote no text: the page has no text$/,
  ],
  ['hangs', 'sleep 600', /^text recognition was ended after \d+ s: the page has no text$/],
];

for (const [what, script, warning] of FAULTS) {
  test(`a Tesseract that ${what} loses only the text`, async ({
    directory,
    recognize,
    toolbox,
  }) => {
    const file = path.join(directory, 'scanned.tif');
    await writeTiff(file, graySample(600, 400));
    await toolbox.replace({ tesseract: script });
    const limits = { recognition: what === 'hangs' ? 700 : 20_000 };
    const { pdf, warnings } = await recognize(file, { limits });
    assert.is(warnings.length, 1, warnings.join('; '));
    assert.match(warnings[0] ?? '', warning);
    assert.equal(await imagesOf(pdf), [
      { page: 1, width: 600, height: 400, encoding: 'jpeg', dpi: 300 },
    ]);
    assert.equal(await placedWords(pdf), []);
  });
}

test('a hanging second look costs only time', async ({ directory, recognize, toolbox }) => {
  const { file } = await pageTiff(directory, 'letter-landlord', { height: 600 });
  // The first reading reports only one word and so leaves nearly all ink unread.
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
  await toolbox.replace({ tesseract: script });
  const { pdf, warnings } = await recognize(file, { limits: { recognition: 20_000 } });
  await access(path.join(directory, 'began'));
  assert.equal(warnings, []);
  const words = await placedWords(pdf);
  assert.equal(
    words.map(({ text }) => text),
    ['Ropeworks'],
  );
});

test('print without words is reported with its place', async ({
  directory,
  recognize,
  toolbox,
}) => {
  const file = path.join(directory, 'columns.tif');
  await scanned(file, twoBlocks());
  const baseLine = [
    [90, 720],
    [1250, 720],
  ];
  const word = ['paragraph', 95, 90, 80, 1250, 720, baseLine, false];
  const lines = [{ sideways: false, base_line: baseLine, height: 50, words: [word] }];
  const script = `echo '${JSON.stringify(lines)}' > "$2.json"; exec /usr/bin/tesseract "$@"`;
  await toolbox.replace({ tesseract: script });
  const { facts } = await recognize(file);
  assert.is(facts.missed?.where, 'right');
  assert.ok(Math.abs((facts.missed?.percent ?? 0) - 29) <= 5, `${facts.missed?.percent}`);
});

async function recognizedBy(
  { recognize, directory, toolbox }: PageBench,
  tiff: string,
  lines: string,
): ReturnType<PageBench['recognize']> {
  const { searchPath } = toolbox;
  const script = await brokenWorker(directory, 'ocrmypdf.ocr', lines);
  const python = createPythonJobs({ searchPath, log: capturedLog().log, script });
  try {
    return await recognize(tiff, { toolbox: { ...toolbox, python } });
  } finally {
    await python.close();
  }
}

test('a failing OCRmyPDF is a failure with its reason', async (bench) => {
  const { file } = await writeTiff(path.join(bench.directory, 'scanned.tif'), graySample(600, 400));
  const fails = 'raise ocrmypdf.exceptions.SubprocessOutputError("broken")';
  const { message } = await failure('processing_failed', recognizedBy(bench, file, fails));
  assert.match(message, /SubprocessOutputError: broken/);
});

test('an OCRmyPDF that fails once loses no text', async (bench) => {
  const { file } = await pageTiff(bench.directory, 'invoice', { height: 500 });
  const failsOnce = `try:
    os.mkdir(${JSON.stringify(path.join(bench.directory, 'failed'))})
except FileExistsError:
    return working(*given, **options)
raise OSError(23, "Too many open files in system")`;
  const { pdf, warnings } = await recognizedBy(bench, file, failsOnce);
  assert.equal(warnings, []);
  assert.ok((await placedWords(pdf)).length > 5);
});
