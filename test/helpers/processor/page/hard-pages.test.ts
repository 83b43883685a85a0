import { makeHardPages } from '../../../support/hard-pages.ts';
import { scoreReading, textOfPdf } from '../../../support/pages.ts';
import { pageTests } from '../support/page-samples.ts';
import { assert } from '../../../support/suite.ts';

const test = pageTests('pages that are hard to read');

/** The share of its words that must be found on each page, and how many may be invented. `npm run bench:pages` has the whole set. */
const FLOORS: Readonly<Record<string, readonly [found: number, invented: number]>> = {
  'receipt-yellow': [0.95, 3],
  'receipt-faint': [0.95, 3],
  'receipt-dark-backing': [0.95, 3],
  'receipt-askew': [0.95, 3],
  'envelope-sideways': [0.95, 3],
  card: [0.9, 5],
  'card-dark-backing': [0.95, 2],
  underexposed: [0.97, 3],
  highlighter: [0.97, 3],
  stamps: [0.97, 3],
  ruled: [0.97, 3],
  halftone: [0.97, 3],
  cheque: [0.95, 3],
  striped: [0.95, 3],
  'streaks-colour': [0.99, 1],
  'white-on-dark': [0.99, 1],
  'dark-flyer': [0.97, 3],
  'pale-print': [0.98, 2],
  typewriter: [0.98, 2],
  'skew-8': [0.97, 3],
  'a5-askew': [0.97, 3],
  'shows-through': [0.97, 3],
  'upside-down': [0.97, 3],
};

for (const [name, [leastFound, mostInvented]] of Object.entries(FLOORS)) {
  test(`${name}: at least ${leastFound * 100} % of the words are found`, async ({
    directory,
    recognize,
  }) => {
    const [page] = await makeHardPages(directory, [name]);
    if (page === undefined) throw new Error('the page was not made');
    const { pdf } = await recognize(page.tiff, { options: { rotate_pages: true } });
    const { found, invented } = scoreReading(page.text, (await textOfPdf(pdf)).join('\n'));
    assert.ok(found >= leastFound, `${found}`);
    assert.ok(invented <= mostInvented, `${invented} words are invented`);
  });
}
