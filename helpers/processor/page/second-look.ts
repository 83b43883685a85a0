import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import { MM_PER_INCH } from '../../paper.ts';
import { makeClearImage, type InkCells } from './image-jobs.ts';
import { mergeReadings } from './merge-readings.ts';
import { inTurn, moved, quartersOf, STILL, turnOf, type Place } from './motion.ts';
import { contextFor, type PageWork } from './page-work.ts';
import type { PageImage } from './plain-tiff.ts';
import type { Reading } from './reading.ts';
import { recognizeText } from './tesseract.ts';
import type { ReadPage } from './turn-upright.ts';
import type { WordBox } from './word-facts.ts';

/**
 * Rules, dots, patterns, stamps and broken letters make Tesseract mistake text for pictures, and
 * skip lines without a sign. So if confident words cover too little of the ink, the page is
 * recognized again from another image (`look_again` in reading_image.py).
 */

const WORD_MARGIN_MM = 1;
const BAND_MM = 5;
/** Minimum ink outside words: squares of 2 mm, and share of all ink. Less may be a logo. */
const FEWEST_UNREAD = 40;
const UNREAD_SHARE = 0.25;
/** On coarse receipts, a third to half of the ink is uncertain, and another image hardly helps. */
const NARROW_UNREAD_SHARE = 0.6;

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
  if (!leavesMuch(recognition.words.convincing, opened.ink, reading)) return page;
  try {
    const clear = await clearReading(opened.image, reading, work);
    const context = contextFor(clear.image, work, 'recognition');
    const again = await recognizeText(clear, work.job.options.languages, context);
    if (!again.ok) return page;
    const merged = mergeReadings({ ...recognition, reading }, { ...again, reading: clear });
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

/** True if the words leave much of the ink uncovered. */
export function leavesMuch(
  words: readonly WordBox[],
  ink: InkCells,
  { image, motion, dpi, column }: Reading,
): boolean {
  const pagePerMm = image.dpi / MM_PER_INCH;
  // Words are in pixels of the file.
  const [perMm, scale] = [dpi / MM_PER_INCH, dpi / image.dpi];
  const margin = WORD_MARGIN_MM * perMm;
  const bandOf = (y: number): number => Math.floor(y / (BAND_MM * perMm));
  // A dense page has a thousand words and two thousand squares with ink. So each square is compared
  // only with the words in its band.
  const bands = new Map<number, WordBox[]>();
  for (const word of words) {
    for (let band = bandOf(word.top - margin); band <= bandOf(word.bottom + margin); band++) {
      const others = bands.get(band);
      if (others) others.push(word);
      else bands.set(band, [word]);
    }
  }
  const places = placesOf(ink);
  let unread = 0;
  for (const [u, v] of places) {
    const [across, down] = moved(motion, [u * pagePerMm, v * pagePerMm]);
    const [x, y] = [across * scale, down * scale];
    const isIn = ({ left, top, right, bottom }: WordBox): boolean =>
      x > left - margin && x < right + margin && y > top - margin && y < bottom + margin;
    if (!bands.get(bandOf(y))?.some(isIn)) unread += 1;
  }
  const share = column ? NARROW_UNREAD_SHARE : UNREAD_SHARE;
  return unread >= Math.max(FEWEST_UNREAD, share * places.length);
}

/** Centres of the squares with ink, in mm. */
function placesOf({ size, columns, cells }: InkCells): Place[] {
  const places: Place[] = [];
  for (const [at, byte] of Buffer.from(cells, 'base64').entries()) {
    for (let bit = 0, left = byte; left !== 0; bit++, left = (left << 1) & 0xff) {
      if (left < 0x80) continue;
      const index = at * 8 + bit;
      places.push([((index % columns) + 0.5) * size, (Math.floor(index / columns) + 0.5) * size]);
    }
  }
  return places;
}

async function clearReading(
  page: PageImage,
  { motion, column }: Reading,
  work: PageWork,
): Promise<Reading> {
  const quarters = quartersOf(motion);
  const file = path.join(work.job.directory, 'second-look.tif');
  const options = { tiff: page.file, dpi: page.dpi, out: file, quarters };
  const made = await makeClearImage(options, contextFor(page, work, 'imageJob'));
  const { width, height, straightened, skew, dpi } = made;
  const image = { ...page, file, width, height, bilevel: false };
  const upright = quarters % 2 === 0 ? page : { width: page.height, height: page.width };
  const turned = turnOf(quarters * 90, page, upright);
  const straight = straightened ? turnOf(-(skew ?? 0), upright, image) : STILL;
  return { image, motion: inTurn(turned, straight), dpi, column };
}
