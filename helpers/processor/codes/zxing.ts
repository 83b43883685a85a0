import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { prepareZXingModule, readBarcodes, type ReadResult } from 'zxing-wasm/reader';
import type { PageCode } from '../../page-facts.ts';
import { MM_PER_INCH } from '../../paper.ts';

/** Other formats find false codes in text (DataBar), or make ZXing miss codes (DataMatrix). */
const TYPES = { Code39: 'code39', Code128: 'code128', QRCode: 'qr' } as const;

/** Loads ZXing from disk; by default it would be fetched over the network. */
export async function loadZxing(): Promise<void> {
  const wasm = fileURLToPath(import.meta.resolve('zxing-wasm/reader/zxing_reader.wasm'));
  await prepareZXingModule({
    overrides: {
      wasmBinary: new Uint8Array(await readFile(wasm)).buffer,
      print: () => {},
      printErr: () => {},
    },
    fireImmediately: true,
  });
}

export async function readZxingCodes(pgm: Uint8Array, dpi: number): Promise<PageCode[]> {
  const results = await readBarcodes(pgm, {
    formats: ['Code39', 'Code128', 'QRCode'],
    // The default mode writes control characters as <NUL>.
    textMode: 'Plain',
    tryInvert: false,
  });
  return results.flatMap((result) => toCode(result, dpi));
}

function toCode({ isValid, format, text, position }: ReadResult, dpi: number): PageCode[] {
  const type = Object.entries(TYPES).find(([name]) => name === format)?.[1];
  if (!isValid || type === undefined || text === '') return [];
  const { topLeft, topRight, bottomLeft, bottomRight } = position;
  const corners = [topLeft, topRight, bottomLeft, bottomRight];
  const mm = (pixels: number): number => Math.round((pixels / dpi) * MM_PER_INCH * 10) / 10;
  const [left, right] = ends(corners.map(({ x }) => x));
  const [top, bottom] = ends(corners.map(({ y }) => y));
  const place = {
    x_mm: mm(left),
    y_mm: mm(top),
    width_mm: mm(right - left),
    height_mm: mm(bottom - top),
  };
  return [{ type, text, ...place }];
}

function ends(values: readonly number[]): [number, number] {
  return [Math.min(...values), Math.max(...values)];
}
