import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { prepareZXingModule, writeBarcode } from 'zxing-wasm/writer';

/** Rows of modules; true is dark. */
export type Modules = readonly (readonly boolean[])[];

export interface Symbols {
  readonly code39: Modules;
  readonly qr: Modules;
}

/** Throws if a text is too long. */
export async function makeSymbols(code39: string, qr: string): Promise<Symbols> {
  const wasm = fileURLToPath(import.meta.resolve('zxing-wasm/writer/zxing_writer.wasm'));
  const wasmBinary = new Uint8Array(await readFile(wasm)).buffer;
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  const [bars] = await modules(code39, 'Code39');
  return { code39: [bars ?? []], qr: await modules(qr, 'QRCode') };
}

async function modules(text: string, format: 'Code39' | 'QRCode'): Promise<Modules> {
  const { symbol, error } = await writeBarcode(text, { format, addQuietZones: false });
  if (error !== '') throw new Error(`${format}: ${error}`);
  const { data, width, height } = symbol;
  return Array.from({ length: height }, (_, row) =>
    Array.from(data.subarray(row * width, (row + 1) * width), (value) => value === 0),
  );
}
