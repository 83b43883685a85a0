import { warning } from '../../warnings.ts';
import path from 'node:path';
import { cropPage, type ToCut } from './crop-page.ts';
import { dropDirt } from './dirt.ts';
import { examinePage, hasInk, type Examined, type Findings } from './examine-page.ts';
import { openPage } from './open-page.ts';
import { composePage, type ComposeOptions } from './image-jobs.ts';
import {
  attempt,
  contextFor,
  type PageJob,
  type PageParts,
  type PageState,
  type PageWork,
} from './page-work.ts';
import { missedPrint } from './missed-print.ts';
import { back, inTurn } from './motion.ts';
import { paperPlace } from './paper-place.ts';
import { plainReading, type Reading } from './reading.ts';
import { lookAgain } from './second-look.ts';
import { Failure } from '../../failure.ts';
import { isFull, storageFull } from '../tools/workspaces.ts';
import { blackAndWhite, storeImage } from './store-image.ts';
import { languageTag } from './language-tag.ts';
import { straighten } from './straighten.ts';
import { recognizeText, type Recognition } from './tesseract.ts';
import { turnUpright, type ReadPage } from './turn-upright.ts';
import type { PageFacts } from '../../page-facts.ts';
import type { JobContext } from '../tools/toolbox.ts';
import { tryTwice } from '../tools/try-twice.ts';

export interface RecognizedPage {
  /** Null if the page is left out. */
  readonly pdf: string | null;
  readonly warnings: readonly string[];
  readonly facts: PageFacts;
}

/**
 * Tesseract runs again only if the page is not upright, or if much of its ink was not read. If
 * Tesseract fails, the page is stored without text, with a warning. Throws Failure
 * `unreadable_page`, `insufficient_storage`, or `processing_failed` if Tesseract or OCRmyPDF could
 * not run.
 */
export async function recognizePage(job: PageJob, parts: PageParts): Promise<RecognizedPage> {
  const work = { job, parts };
  const opened = await openPage(work);
  const found = await examinePage(opened, work);
  const { findings } = found;
  const examined = { ...opened, warnings: [...opened.warnings, ...found.warnings] };
  const {
    facts: { unread, ...facts },
    ...page
  } = findings.left_out === null ? await makePage(examined, found, work) : leftOut(examined);
  const isUnread = unread === true && (await hasInk(opened, findings.blank, work));
  return { ...page, facts: { ...facts, ...findings, ...(isUnread && { unread }) } };
}

type ReadFacts = Omit<PageFacts, keyof Findings>;

type MadePage = Omit<RecognizedPage, 'facts'> & { readonly facts: ReadFacts };

async function makePage(
  page: PageState,
  { findings: { skew }, reading = { ...plainReading(page.image), ink: null } }: Examined,
  work: PageWork,
): Promise<MadePage> {
  const { deskew, crop, ocr, rotate_pages: rotate, languages } = work.job.options;
  const straight =
    deskew && skew !== null
      ? await attempt(page, work, {
          warning: warning('not_straightened', {}),
          run: () => straighten(page, skew, work),
        })
      : page;
  const byEdges = deskew && skew === null;
  const cut = crop ? await cropped(straight, { opened: page.image, byEdges }, work) : straight;
  const placed = { ...cut, ...(await paperPlace(cut, { opened: page.image, skew }, work)) };
  if (!ocr)
    return compose({ ...(await blackAndWhite(placed, work)), recognition: null, reading }, work);
  const context = contextFor(reading.image, work, 'recognition');
  const recognition = await recognizeText(reading, languages, context);
  const read = { ...placed, recognition, reading };
  const upright = rotate ? await turned(read, work) : read;
  const looked = await lookAgain(upright, { image: page.image, ink: reading.ink }, work);
  const best = await dropDirt(looked, work);
  const missed = missedPrint(best, reading.ink);
  return compose({ ...(await blackAndWhite(best, work)), missed }, work);
}

function cropped(page: PageState, given: ToCut, work: PageWork): Promise<PageState> {
  const whole = { ...page, cropped: false };
  const failed = warning('not_cut_out', {});
  return attempt(whole, work, { warning: failed, run: () => cropPage(whole, given, work) });
}

function leftOut({ turned, warnings }: PageState): MadePage {
  return { pdf: null, warnings, facts: { turned, cropped: null, ...NO_WORDS, confidence: null } };
}

function turned(read: ReadPage, work: PageWork): Promise<ReadPage> {
  const failed = warning('not_turned', {});
  return attempt(read, work, { warning: failed, run: () => turnUpright(read, work) });
}

interface FinishedPage extends PageState {
  readonly recognition: Recognition | null;
  /** The recognized image; without OCR, the unchanged page. */
  readonly reading: Reading;
  /** See missed-print.ts. */
  readonly missed?: Pick<PageFacts, 'missed'>;
}

async function compose(page: FinishedPage, work: PageWork): Promise<MadePage> {
  const { image, recognition, reading } = page;
  const { directory, options } = work.job;
  const warnings = [...page.warnings];
  if (recognition?.ok === false) {
    // A full disk also prevents storing the page.
    if (await isFull(directory)) throw storageFull();
    warnings.push(warning('text_not_read', { reason: recognition.reason }));
  }
  const context = contextFor(image, work, 'imageJob');
  const pagePdf: ComposeOptions = {
    ...(await storeImage(page, work)),
    out: path.join(directory, 'page.pdf'),
    dpi: image.dpi,
    optimize: options.optimize,
    languages: options.languages,
    language: options.ocr ? languageTag(options.languages[0]) : null,
    motion: inTurn(back(reading.motion), page.motion),
    // The few words found may be dust.
    text: recognition?.ok && !recognition.words.noise ? recognition.text : null,
  };
  try {
    await writePage(pagePdf, context, work);
  } catch (error) {
    const isText = error instanceof Failure && error.code === 'processing_failed';
    if (!isText || pagePdf.text === null) throw error;
    warnings.push(warning('text_not_read/not_added', {}));
    await writePage({ ...pagePdf, text: null }, context, work);
  }
  return { pdf: pagePdf.out, warnings, facts: factsOf(page) };
}

const NO_WORDS = { words: 0, characters: 0, confidence: 0, first_line: '' };

/** Retries once. Then throws Failure `processing_failed` with OCRmyPDF's message. */
async function writePage(
  options: ComposeOptions,
  context: JobContext,
  { job, parts }: PageWork,
): Promise<void> {
  try {
    await tryTwice(() => composePage(options, context), job.signal);
  } catch (error) {
    job.signal.throwIfAborted();
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    parts.log.error({ event: 'page_not_written', err: error }, 'OCRmyPDF failed');
    throw new Failure(
      'processing_failed',
      `OCRmyPDF could not make the PDF of the page. Try again (${error.message}).`,
      { cause: error },
    );
  }
}

function factsOf({ recognition, turned, cropped, paper, missed }: FinishedPage): ReadFacts {
  // Noise does not count as text; see `compose`.
  const { words, characters, confidence, first_line } =
    recognition?.ok && !recognition.words.noise ? recognition.words : NO_WORDS;
  return {
    turned: (Math.round(turned * 100) / 100) % 360,
    cropped,
    words,
    characters,
    confidence: words === 0 ? null : Math.round(confidence * 10) / 10,
    first_line,
    ...(recognition?.ok && { read_dpi: recognition.text.dpi }),
    ...(recognition?.ok && words === 0 && { unread: true }),
    ...missed,
    ...(paper !== undefined && { paper }),
  };
}
