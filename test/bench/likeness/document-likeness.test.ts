import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { suite } from 'uvu';
import * as assert from 'uvu/assert';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { withFixture } from '../../support/with-fixture.ts';
import { DPI, type PageSet } from '../page-sets.ts';
import { compareDocuments, type DocumentLikeness } from './document-likeness.ts';

const WIDTH = 250;
const HEIGHT = 350;

/** Letters of a kind: stripes of black and white, each pixel different from its neighbours somewhere. */
const printed = Uint8Array.from({ length: WIDTH * HEIGHT }, (_, at) =>
  (Math.floor((at % WIDTH) / 3) + Math.floor(at / WIDTH / 5)) % 2 === 0 ? 0 : 255,
);

interface Desk {
  /** Writes the raw page, and a document that shows these pixels, and compares the two. */
  readonly compare: (
    mode: 'gray' | 'lineart',
    pixels: Uint8Array,
  ) => Promise<DocumentLikeness | undefined>;
  readonly close: () => Promise<void>;
}

const test = withFixture(suite('documents beside their raw pages'), async (): Promise<Desk> => {
  const directory = await temporaryDirectory();
  const inside = (name: string): string => path.join(directory.path, name);
  return {
    compare: async (mode, pixels) => {
      const raw = { width: WIDTH, height: HEIGHT, channels: 1 } as const;
      const image = sharp(printed, { raw }).toColourspace('b-w');
      // JPEG would be what sharp takes by itself.
      await image.tiff({ compression: 'none' }).toFile(inside('raw.tif'));
      await writeFile(inside('document.pdf'), documentOf(pixels));
      const set: PageSet = { mode, files: [], texts: [], pictures: [[]] };
      const [compared] = await compareDocuments({
        set,
        raw: [inside('raw.tif')],
        documents: new Map([['ours', inside('document.pdf')]]),
        directory: directory.path,
      });
      return compared;
    },
    close: () => directory.remove(),
  };
});

test('a document that shows the raw page as it is, is the same at both resolutions', async ({
  compare,
}) => {
  const compared = await compare('gray', printed);
  const pages = compared?.likeness.map(({ dpi, features }) => [dpi, features['whole page']]);
  assert.equal(pages, [
    [DPI, 1],
    [DPI / 2, 1],
  ]);
  assert.is(compared?.differing_pixels, null);
});

test('a document that is off by one pixel is not', async ({ compare }) => {
  const compared = await compare('gray', Uint8Array.of(0, ...printed.subarray(0, -1)));
  assert.ok((compared?.likeness[0]?.features['text edges'] ?? 1) < 0.7);
});

test('line art is compared pixel by pixel', async ({ compare }) => {
  assert.equal((await compare('lineart', printed))?.differing_pixels, [0]);
  const spot = printed.with(WIDTH * 7 + 5, 255 - (printed[WIDTH * 7 + 5] ?? 0));
  assert.equal((await compare('lineart', spot))?.differing_pixels, [1]);
});

/** A PDF of one page at 300 dpi with nothing but these gray pixels. */
function documentOf(pixels: Uint8Array): Uint8Array {
  const [width, height] = [(WIDTH * 72) / DPI, (HEIGHT * 72) / DPI];
  const contents = Buffer.from(`q ${width} 0 0 ${height} 0 0 cm /I Do Q`);
  const objects = [
    Buffer.from('<< /Type /Catalog /Pages 2 0 R >>'),
    Buffer.from('<< /Type /Pages /Kids [3 0 R] /Count 1 >>'),
    Buffer.from(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${width} ${height}] /Contents 4 0 R ` +
        '/Resources << /XObject << /I 5 0 R >> >> >>',
    ),
    stream('', contents),
    stream(
      `/Type /XObject /Subtype /Image /Width ${WIDTH} /Height ${HEIGHT} ` +
        '/ColorSpace /DeviceGray /BitsPerComponent 8',
      pixels,
    ),
  ];
  const parts: Uint8Array[] = [Buffer.from('%PDF-1.4\n')];
  const offsets: number[] = [];
  for (const [index, object] of objects.entries()) {
    offsets.push(Buffer.concat(parts).length);
    parts.push(Buffer.from(`${index + 1} 0 obj\n`), object, Buffer.from('\nendobj\n'));
  }
  const table = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  const start = Buffer.concat(parts).length;
  const size = objects.length + 1;
  parts.push(
    Buffer.from(`xref\n0 ${size}\n0000000000 65535 f \n${table}`),
    Buffer.from(`trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${start}\n%%EOF\n`),
  );
  return Buffer.concat(parts);
}

function stream(entries: string, data: Uint8Array): Uint8Array {
  const head = Buffer.from(`<< ${entries} /Length ${data.length} >> stream\n`);
  return Buffer.concat([head, data, Buffer.from('\nendstream')]);
}

test.run();
