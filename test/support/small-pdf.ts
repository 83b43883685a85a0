/** Size of a one-page PDF; each further page adds a few bytes. */
const LEAST_BYTES = 400;

/** A valid PDF with this many pages and bytes. A comment fills it up. */
export function smallPdf(pages = 1, bytes: number = LEAST_BYTES + pages * '3 0 R '.length): Buffer {
  return Buffer.concat([...smallPdfInPieces(pages, bytes)]);
}

const PIECE = Buffer.alloc(65_536, 'x');

/** Yields pieces, for PDFs too large for memory. */
export function* smallPdfInPieces(pages: number, bytes: number): Generator<Buffer> {
  const objects = [
    '<< /Type /Catalog /Pages 2 0 R >>',
    `<< /Type /Pages /Count ${pages} /Kids [ ${'3 0 R '.repeat(pages)}] >>`,
    '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 10 10] >>',
  ].map((object, index) => `${index + 1} 0 obj ${object} endobj\n`);
  let head = '%PDF-1.7\n';
  const entries = ['0000000000 65535 f \n'];
  for (const object of objects) {
    entries.push(`${String(head.length).padStart(10, '0')} 00000 n \n`);
    head += object;
  }
  const trailer = '<< /Size 4 /Root 1 0 R >>';
  const tailTo = (table: number): string =>
    `\nxref\n0 4\n${entries.join('')}trailer\n${trailer}\nstartxref\n${String(table).padStart(10, '0')}\n%%EOF\n`;
  const tailBytes = tailTo(0).length;
  const left = bytes - head.length - 1 - tailBytes;
  if (left < 0) throw new Error(`a PDF of ${pages} pages has more than ${bytes} bytes`);
  yield Buffer.from(`${head}%`);
  for (let rest = left; rest > 0; rest -= PIECE.length) {
    yield PIECE.subarray(0, Math.min(rest, PIECE.length));
  }
  yield Buffer.from(tailTo(bytes - tailBytes + 1));
}
