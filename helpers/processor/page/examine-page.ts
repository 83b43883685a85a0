import { warning } from '../../warnings.ts';
import path from 'node:path';
import {
  BLANK_BELOW,
  MAX_STREAKS,
  limitCodes,
  type Blankness,
  type PageCode,
  type PageFacts,
} from '../../page-facts.ts';
import { MM_PER_INCH } from '../../paper.ts';
import { examineImage, type ExamineOptions, type InkCells, type Look } from './image-jobs.ts';
import type { Reading } from './reading.ts';
import { STILL, turnOf } from './motion.ts';
import type { PageImage } from './plain-tiff.ts';
import { tryTwice } from '../tools/try-twice.ts';
import { contextFor, type PageState, type PageWork } from './page-work.ts';

export type Findings = Pick<PageFacts, 'skew' | 'blank' | 'codes' | 'left_out' | 'streaks'>;

export interface Examined {
  readonly findings: Findings;
  readonly warnings: readonly string[];
  /** Undefined if the page itself is recognized, or no OCR was requested. */
  readonly reading?: Reading & { readonly ink: InkCells | null };
}

const NOTHING: Findings = { skew: null, blank: null, codes: [], left_out: null };

/**
 * Measures skew and blankness, reads codes and prepares the image to recognize. After two failures,
 * only adds a warning. Rejects only when aborted.
 */
export async function examinePage(page: PageState, work: PageWork): Promise<Examined> {
  const { examine, drop_blank, deskew, codes, separators, ocr } = work.job.options;
  const wanted = {
    blank: examine || drop_blank,
    skew: examine || deskew,
    codes: codes || separators.length > 0 ? path.join(work.job.directory, 'codes.pgm') : null,
    reading: ocr ? path.join(work.job.directory, 'reading.tif') : null,
  };
  if (!wanted.blank && !wanted.skew && wanted.codes === null && wanted.reading === null) {
    return { findings: NOTHING, warnings: [] };
  }
  try {
    return await tryTwice(() => look(page, wanted, work), work.job.signal);
  } catch (error) {
    work.job.signal.throwIfAborted();
    work.parts.log.warn({ event: 'page_step_failed', err: error }, 'examining the page failed');
    return {
      findings: NOTHING,
      warnings: [warning('not_examined', {})],
    };
  }
}

/**
 * Minimum score (blank_page.py) of a page with ink. Blank pages missed by BLANK_BELOW score up to
 * 1.3, most pages with text or pictures 9.
 */
const INK_SCORE = 2;

/** True if a page without recognized text has ink; false if examining fails. */
export async function hasInk(
  { image }: PageState,
  known: Blankness | null,
  work: PageWork,
): Promise<boolean> {
  const { file: tiff, dpi } = image;
  const wanted = { tiff, dpi, blank: true, skew: false, codes: null, reading: null };
  try {
    const context = contextFor(image, work, 'imageJob');
    const blank = known ?? (await examineImage(wanted, context)).blank;
    return (blank?.score ?? 0) >= INK_SCORE;
  } catch (error) {
    work.job.signal.throwIfAborted();
    work.parts.log.warn({ event: 'page_step_failed', err: error }, 'examining the page failed');
    return false;
  }
}

async function look(
  { image, turned }: PageState,
  wanted: Pick<ExamineOptions, 'blank' | 'skew' | 'codes' | 'reading'>,
  work: PageWork,
): Promise<Examined> {
  const { file: tiff, dpi } = image;
  const context = contextFor(image, work, 'imageJob');
  const { blank, skew, code_dpi, reading } = await examineImage({ tiff, dpi, ...wanted }, context);
  const found = wanted.codes === null ? [] : await readCodes(wanted.codes, code_dpi ?? dpi, work);
  const codes = limitCodes(found ?? []);
  const left_out = reasonToLeaveOut(blank, found ?? [], work.job.options);
  const { cut } = work.job.options;
  const streaks = streaksAsScanned(reading?.streaks ?? [], { image, turned, cut });
  return {
    findings: { skew, blank, codes, left_out, ...(streaks.length > 0 && { streaks }) },
    warnings: codeWarnings(found, codes),
    ...(reading &&
      wanted.reading !== null && { reading: readingOf(image, wanted.reading, reading) }),
  };
}

function readingOf(
  page: PageImage,
  file: string,
  { width, height, skew, made, straightened, ink, dpi, narrow }: NonNullable<Look['reading']>,
): NonNullable<Examined['reading']> {
  const image = { ...page, file: made ? file : page.file, width, height };
  const motion = straightened ? turnOf(-(skew ?? 0), page, image) : STILL;
  return { image, motion, dpi, column: narrow, ink };
}

/** In mm. This close to the left or right edge, a line may be the edge of narrower paper. */
const MAYBE_EDGE_MM = 7;

interface ExaminedPart extends Pick<PageState, 'image' | 'turned'> {
  readonly cut: PageWork['job']['options']['cut'];
}

/**
 * Converts positions to the scanned page, in mm. Streaks run in feed direction, so a page turned
 * sideways or by a free angle has none.
 */
function streaksAsScanned(
  found: readonly number[],
  { image: { width, dpi }, turned, cut }: ExaminedPart,
): number[] {
  if (turned % 180 !== 0 || (cut && cut.angle !== 0)) return [];
  const width_mm = (width / dpi) * MM_PER_INCH;
  const left_mm = cut ? (cut.x * width_mm) / cut.width : 0;
  return found
    .filter((mm) => Math.min(mm, width_mm - mm) >= MAYBE_EDGE_MM)
    .slice(0, MAX_STREAKS)
    .map((mm) => left_mm + (turned === 0 ? mm : width_mm - mm))
    .map((mm) => Math.round(mm * 10) / 10);
}

/** Undefined if the code reader failed. */
async function readCodes(
  file: string,
  dpi: number,
  { job: { signal }, parts }: PageWork,
): Promise<PageCode[] | undefined> {
  try {
    const limits = { signal, timeoutMs: parts.limits.codes };
    return await tryTwice(() => parts.codes.read({ file, dpi }, limits), signal);
  } catch (error) {
    signal.throwIfAborted();
    parts.log.warn({ event: 'page_step_failed', err: error }, 'reading codes failed');
    return undefined;
  }
}

function codeWarnings(
  found: readonly PageCode[] | undefined,
  listed: readonly PageCode[],
): string[] {
  if (found === undefined) return [warning('codes_not_read', {})];
  const left = found.length - listed.length;
  return left === 0 ? [] : [warning('codes_not_listed', { count: left })];
}

/** A separator's code takes precedence over blankness. */
function reasonToLeaveOut(
  blank: Blankness | null,
  codes: readonly PageCode[],
  { separators, drop_blank }: PageWork['job']['options'],
): PageFacts['left_out'] {
  if (codes.some(({ text }) => separators.includes(text))) return 'separator';
  return drop_blank && blank !== null && blank.score < BLANK_BELOW ? 'blank' : null;
}
