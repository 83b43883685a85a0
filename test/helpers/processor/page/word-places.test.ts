import path from 'node:path';
import sharp from 'sharp';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import { assert, suite, temporaryDirectory } from '../../../support/suite.ts';
import { imagesOf, placedWords, type PlacedWord } from '../support/inspect-pdf.ts';
import { keptToolbox } from '../support/job-context.ts';
import { pageTiff, pageWork, recognized, scanned } from '../support/page-samples.ts';

/**
 * The text is recognised on an image that was straightened, and belongs onto the page as it was scanned. Words that are on the page
 * once are compared with their places on the straight page, turned by hand.
 */
const test = suite('where words are on a page that is askew');

const temporary = await temporaryDirectory();
const { path: directory } = temporary;
const toolbox = keptToolbox();
const straight = await pageTiff(directory, 'letter-landlord', { height: 1500 });
const words = await placedWords(
  (await recognized(pageWork(directory, straight.file, { toolbox }))).pdf,
);

const POINTS_PER_PIXEL = 72 / 300;
/** 0.9 mm: less than half a line of print. pdftotext leaves the last letter out of a word. */
const TOLERANCE_POINTS = 2.5;

/** The middles of words that are there once. */
function middles(words: readonly PlacedWord[]): Map<string, readonly [number, number]> {
  const long = words.filter(({ text }) => text.length > 3);
  const once = long.filter(({ text }) => long.filter((other) => other.text === text).length === 1);
  return new Map(
    once.map(({ text, left, right, top, bottom }) => [
      text,
      [(left + right) / 2, (top + bottom) / 2],
    ]),
  );
}

const ANGLES = [0, 0.4, -0.4, 5, -5, 10, -10, 90, 180, 270];
const CASES = [
  ...ANGLES.map((angle) => ({ angle, deskew: false })),
  ...ANGLES.map((angle) => ({ angle, deskew: true })),
];

for (const { angle, deskew } of CASES) {
  const stored = deskew ? ', straightened,' : '';
  test(`a page that is turned by ${angle}°${stored} has each word where it is printed`, async () => {
    const image = sharp(straight.file).rotate(angle, { background: 'white' });
    const turned = await scanned(path.join(directory, `turned${angle}.tif`), image);
    const options = { rotate_pages: true, deskew };
    const { pdf, facts } = await recognized(pageWork(directory, turned.file, { toolbox, options }));
    const lies = angle % 90 === 0;
    if (lies) assert.is(facts.turned, (360 - angle) % 360);
    // A page that was turned upright or straightened is then like the straight one; its middle is that of the image.
    const left = lies || deskew ? 0 : angle;
    const radians = (left * Math.PI) / 180;
    const [sine, cosine] = [Math.sin(radians), Math.cos(radians)];
    const expected = middles(words);
    const found = [...middles(await placedWords(pdf))].filter(([text]) => expected.has(text));
    const after = lies ? straight : turned;
    const [stored] = await imagesOf(pdf);
    assert.equal([stored?.width, stored?.height], [after.width, after.height]);
    const middleOf = ({ width, height }: PageImage): readonly [number, number] => [
      (width * POINTS_PER_PIXEL) / 2,
      (height * POINTS_PER_PIXEL) / 2,
    ];
    const [[fromX, fromY], [toX, toY]] = [middleOf(straight), middleOf(after)];
    const off = found.filter(([text, [x, y]]) => {
      const [u, v] = expected.get(text) ?? [0, 0];
      const [across, down] = [u - fromX, v - fromY];
      return (
        Math.hypot(
          x - (toX + cosine * across - sine * down),
          y - (toY + sine * across + cosine * down),
        ) > TOLERANCE_POINTS
      );
    });
    assert.ok(found.length > expected.size * 0.9, `${found.length} of ${expected.size}`);
    assert.ok(
      off.length <= 1,
      `${off.length} of ${found.length}: ${JSON.stringify(off.slice(0, 5))}`,
    );
  });
}

test('ends, and leaves nothing', async () => {
  await toolbox.close();
  await temporary.remove();
});
