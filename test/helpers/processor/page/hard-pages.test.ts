import { MM_PER_INCH } from '../../../../helpers/paper.ts';
import { makeHardPages } from '../../../support/hard-pages.ts';
import { scoreReading, textOfPdf } from '../../../support/pages.ts';
import { imagesOf } from '../support/inspect-pdf.ts';
import { pageTests } from '../support/page-samples.ts';
import { assert, temporaryDirectory } from '../../../support/suite.ts';

const test = await pageTests('pages that are hard to read');

/**
 * Minimum share of words found and maximum number invented. For all hard pages, use `npm run
 * bench:pages`.
 */
const FLOORS: Readonly<Record<string, readonly [found: number, invented: number]>> = {
  'receipt-faint': [0.95, 3],
  'envelope-sideways': [0.95, 3],
  'card-dark-backing': [0.95, 2],
  stamps: [0.97, 3],
  halftone: [0.97, 3],
  cheque: [0.95, 3],
  striped: [0.95, 3],
  'streaks-colour': [0.99, 1],
  'white-on-dark': [0.99, 1],
  'pale-print': [0.98, 2],
  typewriter: [0.98, 2],
  'skew-8': [0.97, 3],
  'upside-down': [0.97, 3],
};

/** The rotation in degrees that straightens a page, and its size after cropping, in mm. */
const CUT: Readonly<Record<string, readonly [turned: number, width: number, height: number]>> = {
  'receipt-askew': [3.5, 82, 142],
  'receipt-askew-dark': [-4, 82, 142],
  // Only the edges of this card reveal its skew; its print is too sparse.
  'card-dark-backing': [4, 88, 56],
};

const made = await temporaryDirectory();
test.after(() => made.remove());
const pages = await makeHardPages(made.path, [...Object.keys(FLOORS), ...Object.keys(CUT)]);

for (const { name, tiff, text } of pages) {
  const [leastFound, mostInvented] = FLOORS[name] ?? [];
  if (leastFound === undefined || mostInvented === undefined) continue;
  test(`${name}: at least ${leastFound * 100} % of the words are found`, async ({ recognize }) => {
    const { pdf } = await recognize(tiff, { options: { rotate_pages: true } });
    const { found, invented } = scoreReading(text, (await textOfPdf(pdf)).join('\n'));
    assert.ok(found >= leastFound, `${found}`);
    assert.ok(invented <= mostInvented, `${invented} words are invented`);
  });
}

for (const { name, tiff } of pages) {
  const [turned, ...size] = CUT[name] ?? [];
  if (turned === undefined) continue;
  test(`${name} is straightened and cut to its paper`, async ({ recognize }) => {
    const options = { deskew: true, crop: true, ocr: false };
    const { facts, pdf } = await recognize(tiff, { options });
    assert.is(facts.cropped, true);
    const by = facts.turned > 180 ? facts.turned - 360 : facts.turned;
    assert.ok(Math.abs(by - turned) <= 0.5, `${by}°`);
    const [image] = await imagesOf(pdf);
    const found = [image?.width ?? 0, image?.height ?? 0].map((side) => (side * MM_PER_INCH) / 300);
    assert.ok(
      size.every((mm, at) => Math.abs(mm - (found[at] ?? 0)) <= 2),
      found.join(' × '),
    );
  });
}
