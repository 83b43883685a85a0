import Joi from 'joi';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { storageFull } from '../tools/workspaces.ts';
import { describeEnd, runScript, type Toolbox } from '../tools/toolbox.ts';
import { isFull } from '../tools/workspaces.ts';

const PAGE_TOOLS = path.join(import.meta.dirname, '../python/page_tools.py');

/** Where and how long a job may run. */
export interface JobContext {
  readonly toolbox: Toolbox;
  readonly directory: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

export interface PrepareOptions {
  readonly tiff: string;
  /** File for the plain image; null when `tiff` is plain. */
  readonly plain: string | null;
  /** File for a small gray copy, for measuring skew; null for none. */
  readonly small: string | null;
}

export interface Prepared {
  readonly width: number;
  readonly height: number;
  readonly dpi: number;
  readonly bilevel: boolean;
  readonly small_dpi: number;
  readonly images: number;
}

export interface TurnOptions {
  readonly tiff: string;
  readonly out: string;
  /** Quarters of a circle, clockwise. */
  readonly quarters: number;
  /** A small angle, clockwise, on top of that. */
  readonly degrees: number;
}

export interface ComposeOptions {
  readonly tiff: string;
  readonly out: string;
  readonly dpi: number;
  readonly optimize: number;
  /** Text-only PDF of Tesseract; null for a page without text. */
  readonly text: string | null;
  /** JBIG2 stream of a bilevel image; null to compress it otherwise. */
  readonly jbig2: string | null;
}

export interface MergeOptions {
  readonly pages: readonly string[];
  readonly out: string;
  readonly title: string;
  readonly pdfa: boolean;
}

const count = Joi.number().integer().min(1).required();

/** What the jobs answer. */
const RESULTS = {
  prepare: Joi.object<Prepared, true>({
    width: count,
    height: count,
    dpi: count,
    bilevel: Joi.boolean().required(),
    small_dpi: count,
    images: count,
  }),
  turn: Joi.object<{ width: number; height: number }, true>({ width: count, height: count }),
  compose: Joi.object<{ bytes: number }, true>({ bytes: count }),
  merge: Joi.object<{ page_count: number; bytes: number }, true>({
    page_count: count,
    bytes: count,
  }),
} as const;

const answerSchema = Joi.object<Answer>({
  result: Joi.object(),
  error: Joi.valid('unreadable', 'no_space', 'failed'),
  message: Joi.string(),
}).xor('result', 'error');

interface Answer {
  result?: object;
  error?: 'unreadable' | 'no_space' | 'failed';
  message?: string;
}

/** Reads all of a TIFF and makes it plain. Throws Failure `unreadable_page` when it is damaged. */
export function prepareImage(options: PrepareOptions, context: JobContext): Promise<Prepared> {
  return runJob({ job: 'prepare', options, schema: RESULTS.prepare }, context);
}

/** Writes a turned copy of a plain image. */
export function turnImage(
  options: TurnOptions,
  context: JobContext,
): Promise<{ width: number; height: number }> {
  return runJob({ job: 'turn', options, schema: RESULTS.turn }, context);
}

/** Writes a one-page PDF. Throws Failure `unreadable_page` when the image is damaged. */
export function composePage(
  options: ComposeOptions,
  context: JobContext,
): Promise<{ bytes: number }> {
  return runJob({ job: 'compose', options, schema: RESULTS.compose }, context);
}

/** Puts one-page PDFs together as they are. Throws Failure `unreadable_page` when one cannot be read. */
export function mergePages(
  options: MergeOptions,
  context: JobContext,
): Promise<{ page_count: number; bytes: number }> {
  return runJob({ job: 'merge', options, schema: RESULTS.merge }, context);
}

interface Job<Result> {
  readonly job: keyof typeof RESULTS;
  readonly options: object;
  readonly schema: Joi.ObjectSchema<Result>;
}

async function runJob<Result>(
  { job, options, schema }: Job<Result>,
  { toolbox, ...where }: JobContext,
): Promise<Result> {
  const args = [job, JSON.stringify(options)];
  const ended = await runScript(toolbox, { file: PAGE_TOOLS, args, ...where });
  const answer = parseAnswer(ended.stdout);
  if (answer?.error === 'unreadable') throw new Failure('unreadable_page', answer.message ?? '');
  if (answer?.result) return Joi.attempt(answer.result, schema, { convert: false });
  const reason = answer?.message ?? describeEnd(ended);
  const failed = new Error(`page_tools.py ${job}: ${reason}`);
  if (answer?.error === 'no_space' || (await isFull(where.directory))) throw storageFull(failed);
  throw failed;
}

function parseAnswer(stdout: string): Answer | undefined {
  try {
    return Joi.attempt(JSON.parse(stdout), answerSchema, { convert: false });
  } catch {
    // It was killed, or Python itself failed: its exit and its standard error say why.
    return undefined;
  }
}
