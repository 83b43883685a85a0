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
  /** Sheets a minute, as from a feeder; all pages are there from the beginning when left out. */
  readonly pace?: 25 | 50;
  readonly cores: number;
  readonly signal: AbortSignal;
}

/** Tesseract alone on the raw pages, on all cores (tesseract-alone.sh): what the recognition costs in any case. */
export function measureTesseract(
  bench: Workbench,
  { mode, rawPages, pace, cores, signal }: TesseractRun,
): Promise<Measurement> {
  return bench.inDirectory('tesseract', async (directory) => {
    await linkPages(rawPages, directory);
    const sheetMs = pace === undefined ? 0 : 60_000 / pace;
    const environment: Record<string, string> =
      pace === undefined ? {} : { SECONDS_A_SHEET: String(sheetMs / 1000) };
    const run = await runScript('tesseract-alone.sh', { directory, environment, cores, signal });
    const files = await rawPagesIn(directory);
    const texts = await Promise.all(files.map((file) => readFile(`${file}.txt`, 'utf8')));
    return {
      ...run,
      side: 'tesseract',
      variant: 'plain',
      mode,
      pages: texts.length,
      pace,
      afterLastMs: pace === undefined ? undefined : run.totalMs - sheetMs * texts.length,
      bytes: undefined,
      texts,
      work: { rawPages: await hashesOf(files), imageSizes: [], pdfA: undefined },
    };
  });
}
