import { copyFile, stat, symlink } from 'node:fs/promises';
import path from 'node:path';
import { DMS_TOKEN } from '../support/appliance/appliance.ts';
import type { Measurement } from './measurement.ts';
import type { PageSet } from './page-sets.ts';
import { readPdf } from './pdf-facts.ts';
import { hashesOf, rawPagesIn } from './raw-pages.ts';
import { runScript } from './script.ts';
import type { Pace, Workbench } from './workbench.ts';

export interface NaiveRun {
  readonly set: PageSet;
  /** Undefined for line art, which no network scanner gives: the script then begins with the raw pages. */
  readonly pace: Pace | undefined;
  readonly cores: number;
  readonly signal: AbortSignal;
  /** Where a copy of the document is put, to be looked at later. */
  readonly keepAs?: string | undefined;
}

/** The pipeline as people write it (naive.sh), from the scanner to the answer of the upload. */
export function measureNaive(
  bench: Workbench,
  { set, pace, cores, signal, keepAs }: NaiveRun,
): Promise<Measurement> {
  return bench.inDirectory('naive', async (directory) => {
    let lastPageAt = performance.now();
    const onPage = ({ at }: { at: number }): void => void (lastPageAt = at);
    if (pace === undefined) await linkPages(set.files, directory);
    else bench.scanners[pace].load(set.files);
    const events = pace === undefined ? undefined : bench.scanners[pace].events;
    events?.on('page', onPage);
    const began = performance.now();
    const run = await runScript('naive.sh', {
      directory,
      environment: {
        DMS_URL: bench.appliance.dms.url,
        DMS_TOKEN,
        SANE_CONFIG_DIR: bench.saneConfig,
        MODE: set.mode === 'colour' ? 'Color' : 'Gray',
        ...(pace !== undefined && { DEVICE: bench.deviceName(pace) }),
      },
      cores,
      signal,
    });
    events?.off('page', onPage);
    const document = path.join(directory, 'document.pdf');
    if (keepAs !== undefined) await copyFile(document, keepAs);
    const { texts, imageSizes, pdfA } = await readPdf(document);
    return {
      ...run,
      side: 'naive',
      variant: 'plain',
      mode: set.mode,
      pages: texts.length,
      pace,
      afterLastMs: bench.lastUpload().ended_ms - (pace === undefined ? began : lastPageAt),
      bytes: (await stat(document)).size,
      texts,
      work: { rawPages: await hashesOf(await rawPagesIn(directory)), imageSizes, pdfA },
    };
  });
}

/** Puts raw pages into a directory under the names that scanimage would give them. */
export async function linkPages(files: readonly string[], directory: string): Promise<void> {
  for (const [index, file] of files.entries()) {
    const name = `page-${String(index + 1).padStart(4, '0')}.tif`;
    await symlink(file, path.join(directory, name));
  }
}
