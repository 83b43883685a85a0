import type { Measurement } from './measurement.ts';
import type { PageSet } from './page-sets.ts';
import { countWords, lostOnPages } from './statistics.ts';

/** No side may miss more of the printed words, as a share: a page without text, or in another language, is above it. */
const MAX_LOST = 0.05;

/** How much more of the printed words one side may miss than another, as a share. */
const MAX_LOST_APART = 0.02;

/**
 * Throws, with everything that is wrong, when the sides did not do the same work on a stack: other raw pages, another
 * number of pages, images of another size in the document, no PDF/A, or words missing on one of them.
 */
export function checkSameWork(set: PageSet, sides: readonly Measurement[]): void {
  const problems = sides.flatMap((side) => problemsOf(set, side));
  const [first] = sides;
  for (const side of sides) {
    if (first && side.work.rawPages.join() !== first.work.rawPages.join()) {
      problems.push(`${nameOf(side)} and ${nameOf(first)} had other raw pages`);
    }
  }
  const sizes = new Map(
    sides
      .filter(({ work }) => work.imageSizes.length > 0)
      .map((side) => [side.work.imageSizes.join(' '), nameOf(side)]),
  );
  if (sizes.size > 1) {
    problems.push(
      `images differ: ${[...sizes].map(([size, name]) => `${name} ${size}`).join(', ')}`,
    );
  }
  const read = sides.filter(hasText);
  const shares = read.map((side) => lostShare(set, side));
  if (Math.max(...shares) - Math.min(...shares) > MAX_LOST_APART) {
    const list = read.map((side, index) => `${nameOf(side)} ${percent(shares[index] ?? 0)}`);
    problems.push(`the words lost lie too far apart: ${list.join(', ')}`);
  }
  if (problems.length > 0) {
    throw new Error(`The sides did not do the same work:\n  ${problems.join('\n  ')}`);
  }
}

function problemsOf(set: PageSet, side: Measurement): string[] {
  const problems: string[] = [];
  if (side.pages !== set.files.length || side.texts.length !== set.files.length) {
    problems.push(`${side.pages} pages with ${side.texts.length} texts, not ${set.files.length}`);
  }
  if (side.work.rawPages.length !== set.files.length) {
    problems.push(`${side.work.rawPages.length} raw pages, not ${set.files.length}`);
  }
  if (side.work.pdfA === false) problems.push('the document does not say that it is PDF/A');
  const lost = lostShare(set, side);
  if (hasText(side) && lost > MAX_LOST)
    problems.push(`${percent(lost)} of the printed words are missing`);
  return problems.map((problem) => `${nameOf(side)}: ${problem}`);
}

/** Whether text was to be recognised. */
function hasText({ variant }: Measurement): boolean {
  return variant !== 'no_ocr';
}

function lostShare(set: PageSet, side: Measurement): number {
  return lostOnPages(set.texts, side.texts) / countWords(set.texts);
}

function nameOf({ side, mode, pages, pace, variant }: Measurement): string {
  return `${side} (${mode}, ${pages} pages, ${pace ?? 'no scanner'}, ${variant})`;
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
