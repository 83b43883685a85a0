import path from 'node:path';
import { makeHardPages } from '../../../support/hard-pages.ts';
import { scoreReading, shippedPage, textOfPdf } from '../../../support/pages.ts';
import { assert, temporaryDirectory } from '../../../support/suite.ts';
import { drawing, pageTests, pageTiff, scanned } from '../support/page-samples.ts';

const test = await pageTests('at which resolution pages are read');

const made = await temporaryDirectory();
test.after(() => made.remove());
const pages = await makeHardPages(made.path, ['receipt-thermal', 'fine-print', '150-dpi']);

/**
 * The range of expected resolutions: a receipt's column is reduced, other pages are read unchanged.
 */
const READ_AT: Readonly<Record<string, readonly [least: number, most: number]>> = {
  'receipt-thermal': [240, 240],
  'fine-print': [300, 300],
  '150-dpi': [150, 150],
};

for (const { name, tiff, text } of pages) {
  const [least = 0, most = 0] = READ_AT[name] ?? [];
  test(`${name} is read at ${least} dpi`, async ({ recognize }) => {
    const { facts, pdf } = await recognize(tiff);
    assert.ok((facts.read_dpi ?? 0) >= least && (facts.read_dpi ?? 0) <= most, `${facts.read_dpi}`);
    assert.ok(scoreReading(text, (await textOfPdf(pdf)).join('\n')).found >= 0.99);
  });
}

for (const bilevel of [false, true]) {
  test(`a letter ${bilevel ? 'in black and white ' : ''}is read at the height of its letters`, async (bench) => {
    const { file } = await pageTiff(bench.directory, 'letter-bank', { bilevel });
    const { facts, pdf } = await bench.recognize(file);
    assert.ok((facts.read_dpi ?? 0) >= 150 && (facts.read_dpi ?? 0) <= 180, `${facts.read_dpi}`);
    const read = (await textOfPdf(pdf)).join('\n');
    const { found, invented } = scoreReading(shippedPage('letter-bank').text, read);
    const least = bilevel ? 0.98 : 0.995;
    assert.ok(found >= least && invented <= 4, `${found}, ${invented} invented`);
  });
}

const SHORT_RECEIPT = [
  ['Corner Bakery', ''],
  ['Fried rice', '71.00'],
  ['Orange juice', '12.50'],
  ['Green tea', '8.05'],
  ['Bread and butter', '4.40'],
  ['Rounding', '0.02'],
  ['TOTAL', '95.97'],
  ['CASH', '100.00'],
  ['Change', '4.03'],
] as const;

test('a short receipt is read like a long one', async (bench) => {
  const lines = SHORT_RECEIPT.map(([text, amount], at) => {
    const y = 200 + at * 100;
    return `<text x="60" y="${y}">${text}</text><text x="880" y="${y}" text-anchor="end">${amount}</text>`;
  });
  const style = 'font-family="DejaVu Sans Mono" font-size="48"';
  const image = drawing([2480, 3508], 'white', `<g ${style}>${lines.join('')}</g>`);
  const { file } = await scanned(path.join(bench.directory, 'receipt.tif'), image);
  const { facts, pdf } = await bench.recognize(file);
  assert.is(facts.read_dpi, 240);
  const { found } = scoreReading(SHORT_RECEIPT.flat().join(' '), (await textOfPdf(pdf)).join('\n'));
  assert.is(found, 1);
});
