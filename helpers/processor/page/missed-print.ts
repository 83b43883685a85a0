import type { PageFacts } from '../../page-facts.ts';
import type { InkCells } from './image-jobs.ts';
import type { ReadPage } from './turn-upright.ts';
import { areaOf, placesOf, unreadInk } from './unread-ink.ts';
import { boxOf } from './word-facts.ts';

/**
 * Less is a stamp, a signature or a logo: squares of 2 mm, and percent of the ink. On 38 real and
 * generated pages, of which more than 95 % of the words are read, only pages with large stamps or
 * drawings have more.
 */
const FEWEST = 60;
const LEAST_PERCENT = 25;

/** The print without words of a page with text, unless there is little of it. */
export function missedPrint(
  { recognition, reading, motion }: ReadPage,
  cells: InkCells | null,
): Pick<PageFacts, 'missed'> {
  if (!recognition.ok || recognition.words.noise || cells === null) return {};
  const ink = placesOf(cells);
  const words = recognition.lines.flatMap((line) => line.words.map(boxOf));
  if (words.length === 0) return {};
  const missed = unreadInk(words, ink, reading);
  const percent = Math.round((100 * missed.length) / Math.max(1, ink.length));
  if (missed.length < FEWEST || percent < LEAST_PERCENT) return {};
  return { missed: { percent, where: areaOf(missed, ink, motion) } };
}
