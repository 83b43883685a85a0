import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { makeClearImage, type InkCells } from './image-jobs.ts';
import { mergeReadings } from './merge-readings.ts';
import { back, inTurn, moved, quartersOf, STILL, turnOf, type Place } from './motion.ts';
import { contextFor, type PageWork } from './page-work.ts';
import type { PageImage } from './plain-tiff.ts';
import type { Reading } from './reading.ts';
import { recognizeText } from './tesseract.ts';
import type { ReadPage } from './turn-upright.ts';
import { placesOf, unreadInk } from './unread-ink.ts';
import { surelyRead, type WordBox, type WordFacts } from './word-facts.ts';

/**
 * Rules, dots, patterns, stamps and broken letters make Tesseract mistake text for pictures, and
 * skip lines without a sign. So if confident words cover too little of the ink, the page is
 * recognized again from another image (`look_again` in reading_image.py).
 */

/** Minimum ink outside words: squares of 2 mm, and share of all ink. Less may be a logo. */
const FEWEST_UNREAD = 40;
const UNREAD_SHARE = 0.25;
/**
 * Replaces UNREAD_SHARE for receipts: on coarse ones, a third to half of the ink is uncertain, and
 * another image hardly helps.
 */
const NARROW_UNREAD_SHARE = 0.6;
/**
 * With more unread ink or less confidence, the page is read again as a whole, as its letters may be
 * broken everywhere.
 */
const MOST_UNREAD = 0.6;
const WELL_READ = 90;

export interface Opened {
  readonly image: PageImage;
  readonly ink: InkCells | null;
}

/**
 * Merges the results of two recognitions. A failure of the second is only logged, except Failure
 * `insufficient_storage`.
 */
export async function lookAgain(page: ReadPage, opened: Opened, work: PageWork): Promise<ReadPage> {
  const { recognition, reading } = page;
  if (!recognition.ok || opened.ink === null) return page;
  const part = partToReadAgain(recognition.words, opened.ink, reading);
  if (part === 'nothing') return page;
  try {
    const known = part === 'rest' ? surelyRead(recognition.lines) : [];
    const clear = await clearReading(opened.image, { reading, known }, work);
    const context = contextFor(clear.image, work, 'recognition');
    const again = await recognizeText(clear, work.job.options.languages, context);
    if (!again.ok) return page;
    const merged = mergeReadings({ ...recognition, reading }, { ...again, reading: clear }, part);
    if (merged.lines === recognition.lines) return page;
    const file = path.join(work.job.directory, 'merged-text.json');
    await writeFile(file, JSON.stringify(merged.lines));
    const { text } = merged.reading === clear ? again : recognition;
    return {
      ...page,
      ...merged,
      recognition: { ...merged, ok: true, text: { ...text, lines: file } },
    };
  } catch (error) {
    work.job.signal.throwIfAborted();
    if (error instanceof Failure && error.code === 'insufficient_storage') throw error;
    work.parts.log.warn({ event: 'page_step_failed', err: error }, 'the second look failed');
    return page;
  }
}

/** Returns what to recognize again: nothing, the page, or its ink without convincing words. */
export function partToReadAgain(
  { convincing, confidence }: Pick<WordFacts, 'convincing' | 'confidence'>,
  ink: InkCells,
  reading: Reading,
): 'nothing' | 'rest' | 'page' {
  const places = placesOf(ink);
  const unread = unreadInk(convincing, places, reading).length;
  const share = reading.column ? NARROW_UNREAD_SHARE : UNREAD_SHARE;
  if (unread < Math.max(FEWEST_UNREAD, share * places.length)) return 'nothing';
  const isRead = confidence >= WELL_READ && unread <= MOST_UNREAD * places.length;
  return isRead ? 'rest' : 'page';
}

interface FirstReading {
  readonly reading: Reading;
  /** Words that need not be read again. */
  readonly known: readonly WordBox[];
}

/** Creates the image for the second attempt, rotated like the first and without known words. */
async function clearReading(
  page: PageImage,
  { reading: { image: read, motion, dpi: readDpi, column }, known }: FirstReading,
  work: PageWork,
): Promise<Reading> {
  const quarters = quartersOf(motion);
  const file = path.join(work.job.directory, 'second-look.tif');
  const upright = quarters % 2 === 0 ? page : { width: page.height, height: page.width };
  const turned = turnOf(quarters * 90, page, upright);
  const toUpright = inTurn(back(motion), turned);
  const grow = read.dpi / readDpi;
  const place = ([x, y]: Place): Place => {
    const [u, v] = moved(toUpright, [x * grow, y * grow]);
    return [Math.round(u), Math.round(v)];
  };
  const corners = ({ left, top, right, bottom }: WordBox): Place[] =>
    (
      [
        [left, top],
        [right, top],
        [right, bottom],
        [left, bottom],
      ] as const
    ).map(place);
  const options = { tiff: page.file, dpi: page.dpi, out: file, quarters, read: known.map(corners) };
  const made = await makeClearImage(options, contextFor(page, work, 'imageJob'));
  const { width, height, straightened, skew, dpi } = made;
  const image = { ...page, file, width, height, bilevel: false };
  const straight = straightened ? turnOf(-(skew ?? 0), upright, image) : STILL;
  return { image, motion: inTurn(turned, straight), dpi, column };
}
