import { open, readFile, writeFile } from 'node:fs/promises';
import { deflateSync } from 'node:zlib';
import { BrokenPdf, countPages } from '../../../helpers/pdf/count-pages.ts';
import { seededRandom } from '../../fault/support/seeded-random.ts';
import { outputOf } from '../../support/programs.ts';
import { smallPdf } from '../../support/small-pdf.ts';
import { assert, inDirectory, rejection, type InDirectory } from '../../support/suite.ts';

const PAGES = 30;

/** Writes PDFs with the same number of pages in every form that pikepdf can produce. */
const MAKE = `
from pikepdf import ObjectStreamMode, Pdf
import sys
directory, pages = sys.argv[1:]
pdf = Pdf.new()
for _ in range(int(pages)):
    pdf.add_blank_page()
pdf.docinfo["/Title"] = "(\\\\) 1 0 R >> endobj"
pdf.save(directory + "/table.pdf", object_stream_mode=ObjectStreamMode.disable)
pdf.save(directory + "/streams.pdf", object_stream_mode=ObjectStreamMode.generate)
pdf.save(directory + "/plain-streams.pdf", object_stream_mode=ObjectStreamMode.generate, compress_streams=False)
pdf.save(directory + "/linearized.pdf", object_stream_mode=ObjectStreamMode.generate, linearize=True)
`;

const FORMS = ['table', 'streams', 'plain-streams', 'linearized'] as const;

const test = inDirectory('count the pages of a PDF', ({ directory }) =>
  outputOf('/usr/bin/python3', ['-c', MAKE, directory, String(PAGES)]),
);
const hostile = inDirectory('count no pages');

async function count({ file }: InDirectory, content: Buffer | string): Promise<number> {
  await writeFile(file('it.pdf'), content, 'latin1');
  const handle = await open(file('it.pdf'));
  try {
    return await countPages(handle, (await handle.stat()).size);
  } finally {
    await handle.close();
  }
}

test('in every form written by programs', async (bench) => {
  for (const form of FORMS) {
    assert.is(await count(bench, await readFile(bench.file(`${form}.pdf`))), PAGES, form);
  }
  assert.is(await count(bench, smallPdf(3)), 3);
});

test('of the newest table, if a file was updated', async (bench) => {
  const before = smallPdf(2).toString('latin1');
  const start = /startxref\n(\d+)/.exec(before)?.[1];
  const tree = '2 0 obj << /Type /Pages /Count 1 /Kids [ 3 0 R ] >> endobj\n';
  const entry = `${String(before.length).padStart(10, '0')} 00000 n \n`;
  const trailer = `trailer << /Size 4 /Root 1 0 R /Prev ${start} >>`;
  const table = `xref\n2 1\n${entry}${trailer}\nstartxref\n${before.length + tree.length}\n%%EOF\n`;
  assert.is(await count(bench, before + tree + table), 1);
});

for (const form of FORMS) {
  test(`not of ${form} that are truncated anywhere, or end in zeros`, async (bench) => {
    const whole = await readFile(bench.file(`${form}.pdf`));
    const step = Math.ceil(whole.length / 40);
    // A PDF without its final line break is still complete.
    for (let bytes = 0; bytes < whole.length - 1; bytes += step) {
      const cut = whole.subarray(0, bytes);
      const padded = Buffer.concat([cut, Buffer.alloc(whole.length - bytes)]);
      for (const content of [cut, padded]) {
        assert.instance(await rejection(count(bench, content)), BrokenPdf, `${bytes} bytes`);
      }
    }
  });

  test(`of ${form} with any byte changed, quickly, or refuses`, async (bench) => {
    const whole = await readFile(bench.file(`${form}.pdf`));
    const random = seededRandom(1);
    for (let round = 0; round < 80; round += 1) {
      const changed = Buffer.from(whole);
      for (let change = 0; change < 1 + (round % 8); change += 1) {
        changed[Math.floor(random() * changed.length)] = Math.floor(random() * 256);
      }
      const found = await count(bench, changed).catch((error: unknown) => error);
      if (typeof found !== 'number') assert.instance(found, BrokenPdf, String(found));
    }
  });
}

function streamTable(entries: string, packed: Buffer): string {
  const head = `%PDF-1.7\n1 0 obj << /Type /XRef /Length ${packed.length} ${entries} >> stream\n`;
  return `${head}${packed.toString('latin1')}\nendstream endobj\nstartxref\n9\n%%EOF\n`;
}

const bomb = deflateSync(Buffer.alloc(64 * 1024 * 1024));
const flate = '/Filter /FlateDecode';

/** PDFs that take long or use up all memory if they are read. */
const HOSTILE: Readonly<Record<string, string>> = {
  'a table that unpacks to 64 MB': streamTable(`/W [1 2 1] /Size 9 ${flate}`, bomb),
  'a table of a billion empty entries': streamTable('/W [0 0 0] /Size 1000000000', bomb),
  'a table of a billion entries': streamTable('/W [1 2 1] /Size 1000000000', Buffer.alloc(8)),
  'rows without columns': streamTable(
    `/W [1 2 1] /Size 9 ${flate} /DecodeParms << /Predictor 12 /Columns 0 >>`,
    deflateSync(Buffer.alloc(1_000_000)),
  ),
  'a table that refers to itself': streamTable('/W [1 2 1] /Size 0 /Prev 9', Buffer.alloc(0)),
  'a length that is itself': '%PDF-1.7\n1 0 obj << /Length 1 0 R >> stream\nstartxref\n9\n%%EOF\n',
  'lists in lists': `%PDF-1.7\n1 0 obj ${'['.repeat(100_000)}\nstartxref\n9\n%%EOF\n`,
  'a string without an end': `%PDF-1.7\n1 0 obj ${'('.repeat(100_000)}\nstartxref\n9\n%%EOF\n`,
  'a catalog that is itself': smallPdf().toString('latin1').replace('/Root 1 0 R', '/Root 0 0 R'),
};

for (const [what, content] of Object.entries(HOSTILE)) {
  hostile(`of ${what}`, async (bench) => {
    const before = performance.now();
    assert.instance(await rejection(count(bench, content)), BrokenPdf);
    assert.ok(performance.now() - before < 5000, 'it takes a moment');
  });
}
