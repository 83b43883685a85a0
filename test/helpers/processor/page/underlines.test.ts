import path from 'node:path';
import sharp from 'sharp';
import { examineImage } from '../../../../helpers/processor/page/image-jobs.ts';
import { scoreReading, textOfPdf } from '../../../support/pages.ts';
import { assert } from '../../../support/suite.ts';
import { jobContext } from '../support/job-context.ts';
import { drawing, pageTests, scanned, type PageBench } from '../support/page-samples.ts';

const test = await pageTests('rules that touch letters');

const STYLE = 'font-family="DejaVu Sans" font-size="38"';
/** Text that is typed on the lines of a form. */
const TYPED = [
  'Some questions have been raised concerning the ability',
  'to place this on the back bar if the settlement goes through.',
  'The displays are easily assembled and durable, and retail',
  'accounts that purchased them reported no loss of quality.',
];
const typed = TYPED.map(
  (text, at) =>
    `<text ${STYLE} x="100" y="${200 + at * 70}">${text}</text>` +
    `<rect x="100" y="${200 + at * 70}" width="1600" height="5"/>`,
).join('');

test('text on the lines of a form is read', async ({ directory, recognize }) => {
  const file = path.join(directory, 'form.tif');
  await scanned(file, drawing([1800, 560], 'white', typed));
  const { pdf } = await recognize(file);
  const read = (await textOfPdf(pdf)).join('\n');
  const { found, invented } = scoreReading(TYPED.join(' '), read);
  assert.ok(found >= 0.95 && invented <= 2, read);
});

/** Pixels, at these places, of the image that is prepared for recognition. */
async function pixelsRead(
  { directory, toolbox }: PageBench,
  svg: string,
  places: readonly (readonly [x: number, y: number])[],
): Promise<number[]> {
  const file = path.join(directory, 'page.tif');
  await scanned(file, drawing([1800, 560], 'white', svg));
  const reading = path.join(directory, 'reading.tif');
  const options = { tiff: file, dpi: 300, blank: false, skew: false, codes: null, reading };
  const found = await examineImage(options, jobContext(directory, toolbox));
  assert.is(found.reading?.dpi, 300);
  const image = found.reading?.made === true ? reading : file;
  const { data, info } = await sharp(image).raw().toBuffer({ resolveWithObject: true });
  return places.map(([x, y]) => data[(y * info.width + x) * info.channels] ?? -1);
}

const rule = (y: number, width = 1600): string =>
  `<rect x="100" y="${y}" width="${width}" height="5"/>`;
const text = (y: number, words = 'minimum anemone'): string =>
  `<text ${STYLE} x="100" y="${y}">${words}</text>`;
/** A rule with or without letters, a place on it, and whether it stays. */
const RULES: readonly (readonly [what: string, svg: string, x: number, isDark: boolean])[] = [
  ['below letters that touch it', text(300) + rule(300, 300), 250, false],
  ['below letters that do not touch it', text(285) + rule(300), 250, true],
  ['far to the right of letters that touch it', text(300) + rule(300), 1500, true],
  ['without letters', rule(300), 250, true],
  ['shorter than a word', text(300) + rule(300, 60), 130, true],
  ['of a filled area', `<rect x="100" y="250" width="1600" height="200"/>`, 250, true],
];
for (const [what, svg, x, isDark] of RULES) {
  test(`a rule ${what} ${isDark ? 'stays' : 'is erased'}`, async (bench) => {
    const [level = -1] = await pixelsRead(bench, svg, [[x, 302]]);
    assert.is(level < 128, isDark, `${level}`);
  });
}

test('letters stay whole where a rule is erased', async (bench) => {
  // The stem of a p crosses the rule; the foot of an l stands on it.
  const stems = `<rect x="200" y="270" width="5" height="50"/><rect x="300" y="262" width="5" height="38"/>`;
  const places = [
    [202, 290],
    [202, 302],
    [202, 315],
    [302, 297],
    [250, 302],
  ] as const;
  const svg = text(300).replace('x="100"', 'x="330"') + stems + rule(300, 600);
  const levels = await pixelsRead(bench, svg, places);
  assert.equal(
    levels.map((level) => level < 128),
    [true, true, true, true, false],
  );
});
