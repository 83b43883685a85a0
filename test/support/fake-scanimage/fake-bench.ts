import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { temporaryDirectory } from '../temporary-directory.ts';
import { writeFakeScanimage, type FakeScanimage } from './fake-scanimage.ts';
import { createBench, type BenchOptions, type ScanBench } from './scan-bench.ts';

/** Matches `FEEDER_OPTIONS` and `tiffFile`: 100 x 60 pixels at 100 dpi. */
const DEFAULTS = {
  device: 'fake:0',
  source: 'ADF',
  mode: 'Gray',
  resolution: 100,
  page_size: { width_mm: 25.4, height_mm: 15.24 },
};
export interface FakeBench extends ScanBench {
  readonly files: () => Promise<string[]>;
  readonly readFile: (name: string) => Promise<string>;
}

export async function createFakeBench(
  fake: FakeScanimage,
  options: Partial<BenchOptions> = {},
): Promise<FakeBench> {
  const directory = await temporaryDirectory();
  const scanimage = await writeFakeScanimage(directory.path, fake);
  const bench = await createBench(scanimage, { defaults: DEFAULTS, ...options });
  return {
    ...bench,
    close: async () => {
      await bench.close();
      await directory.remove();
    },
    files: () => readdir(directory.path),
    readFile: (name) => readFile(path.join(directory.path, name), 'utf8'),
  };
}
