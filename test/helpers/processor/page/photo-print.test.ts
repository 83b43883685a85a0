/** Light print on photos, as in magazines and brochures. */
import path from 'node:path';
import sharp from 'sharp';
import { scoreReading, textOfPdf } from '../../../support/pages.ts';
import { assert } from '../../../support/suite.ts';
import { pageTests, scanned } from '../support/page-samples.ts';

const test = await pageTests('print on photos');

const LINES = [
  'Photographs by Helen Marsh',
  'The path begins behind the old railway station',
  'and climbs through birch woods to the ridge.',
  'Bring water, because the spring is often dry.',
];

const [WIDTH, HEIGHT] = [2000, 1100];

/** Soft blotches from fixed random numbers. */
function photo(): Promise<Buffer> {
  const [width, height] = [40, 22];
  let seed = 5;
  const pixels = Uint8Array.from({ length: width * height }, () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return 30 + ((seed >>> 24) % 130);
  });
  return sharp(pixels, { raw: { width, height, channels: 1 } })
    .resize(WIDTH, HEIGHT, { kernel: 'cubic', fit: 'fill' })
    .png()
    .toBuffer();
}

test('light print on a photo is read', async ({ directory, recognize }) => {
  const text = LINES.map((line, row) => `<text x="100" y="${250 + row * 90}">${line}</text>`);
  const style = 'font-family="DejaVu Sans" font-size="46" fill="#f8f8f8"';
  const svg = `<svg width="${WIDTH}" height="${HEIGHT}"><g ${style}>${text.join('')}</g></svg>`;
  const printed = sharp(await photo()).composite([{ input: Buffer.from(svg) }]);
  const page = sharp(await printed.png().toBuffer()).extend({
    top: 300,
    bottom: 1500,
    left: 200,
    right: 200,
    background: '#f8f8f8',
  });
  const { file } = await scanned(path.join(directory, 'photo.tif'), page);
  const { pdf } = await recognize(file);
  const { found, invented } = scoreReading(LINES.join(' '), (await textOfPdf(pdf)).join('\n'));
  // Tesseract 5.5 takes five blotches of the photo for words, 5.3 at most three.
  assert.ok(found >= 0.9 && invented <= 5, `${found}, ${invented} invented`);
});
