import { readFile } from 'node:fs/promises';
import type { Measurement } from './measurement.ts';
import { linkPages } from './naive-side.ts';
import type { PageMode } from './page-sets.ts';
import { hashesOf, rawPagesIn } from './raw-pages.ts';
import { runScript } from './script.ts';
import type { Workbench } from './workbench.ts';

export interface TesseractRun {
  readonly mode: PageMode;
  /** Raw TIFF files. */
  readonly rawPages: readonly string[];
  readonly cores: number;
  readonly signal: AbortSignal;
}

/** Tesseract alone on the raw pages, on all cores (tesseract-alone.sh): what the recognition costs in any case. */
export function measureTesseract(
  bench: Workbench,
  { mode, rawPages, cores, signal }: TesseractRun,
): Promise<Measurement> {
  return bench.inDirectory('tesseract', async (directory) => {
    await linkPages(rawPages, directory);
    const run = await runScript('tesseract-alone.sh', { directory, cores, signal });
    const files = await rawPagesIn(directory);
    const texts = await Promise.all(files.map((file) => readFile(`${file}.txt`, 'utf8')));
    return {
      ...run,
      side: 'tesseract',
      variant: 'plain',
      mode,
      pages: texts.length,
      pace: undefined,
      afterLastMs: undefined,
      bytes: undefined,
      texts,
      work: { rawPages: await hashesOf(files), imageSizes: [], pdfA: undefined },
    };
  });
}
