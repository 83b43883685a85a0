import { MM_PER_INCH } from '../../paper.ts';
import type { PageArea } from '../../page-facts.ts';
import type { InkCells } from './image-jobs.ts';
import { moved, type AffineMap, type Place } from './motion.ts';
import type { Reading } from './reading.ts';
import type { WordBox } from './word-facts.ts';

/** Margin counted as part of a word. */
const WORD_MARGIN_MM = 1;
/** Words are indexed by horizontal bands of this height. */
const BAND_MM = 5;

/** The centres of inked squares that no word covers, in mm on the opened page. */
export function unreadInk(
  words: readonly WordBox[],
  ink: readonly Place[],
  { image, motion, dpi }: Reading,
): Place[] {
  const pagePerMm = image.dpi / MM_PER_INCH;
  // Words are in pixels of the recognized file, whose resolution is `dpi`.
  const [perMm, scale] = [dpi / MM_PER_INCH, dpi / image.dpi];
  const margin = WORD_MARGIN_MM * perMm;
  const bandOf = (y: number): number => Math.floor(y / (BAND_MM * perMm));
  // A dense page has a thousand words and two thousand squares. Bands limit the comparisons.
  const bands = new Map<number, WordBox[]>();
  for (const word of words) {
    for (let band = bandOf(word.top - margin); band <= bandOf(word.bottom + margin); band++) {
      const others = bands.get(band);
      if (others) others.push(word);
      else bands.set(band, [word]);
    }
  }
  return ink.filter(([u, v]) => {
    const [across, down] = moved(motion, [u * pagePerMm, v * pagePerMm]);
    const [x, y] = [across * scale, down * scale];
    const isIn = ({ left, top, right, bottom }: WordBox): boolean =>
      x > left - margin && x < right + margin && y > top - margin && y < bottom + margin;
    return !bands.get(bandOf(y))?.some(isIn);
  });
}

/** Centres of the inked squares, in mm. */
export function placesOf({ size, columns, cells }: InkCells): Place[] {
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

/**
 * An edge is the outer EDGE of the inked area. A part of the page has most of the unread ink if it
 * has at least MOSTLY of it.
 */
const EDGE = 1 / 4;
const MOSTLY = 0.75;

/** Names the part of the filed page that has most of the unread ink, relative to all ink. */
export function areaOf(
  unread: readonly Place[],
  ink: readonly Place[],
  motion: AffineMap,
): PageArea {
  const across = sharesOf(unread, ink, (place) => moved(motion, place)[0]);
  const down = sharesOf(unread, ink, (place) => moved(motion, place)[1]);
  if (mostly(across, (share) => share > 1 - EDGE)) return 'right';
  if (mostly(across, (share) => share < EDGE)) return 'left';
  if (mostly(down, (share) => share < EDGE)) return 'top';
  if (mostly(down, (share) => share > 1 - EDGE)) return 'bottom';
  const isInner = (share: number): boolean => share >= EDGE && share <= 1 - EDGE;
  return mostly(down, isInner) && mostly(across, isInner) ? 'middle' : 'several';
}

/** Positions along an axis, from 0 to 1 of the inked length. */
function sharesOf(
  places: readonly Place[],
  ink: readonly Place[],
  along: (place: Place) => number,
): number[] {
  const ends = ink.map(along);
  const first = ends.reduce((least, end) => Math.min(least, end), Infinity);
  const last = ends.reduce((most, end) => Math.max(most, end), -Infinity);
  return places.map((place) => (along(place) - first) / (last - first || 1));
}

function mostly(shares: readonly number[], isThere: (share: number) => boolean): boolean {
  return shares.filter(isThere).length >= MOSTLY * shares.length;
}
