import { readFile, writeFile } from 'node:fs/promises';
import { pageTiff } from '../../helpers/processor/support/page-samples.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';
import { openReaders, runOcr, type Side } from '../hard-pages/readers.ts';
import type { ReadingPlan } from '../plan.ts';
import { hardPages, ordinaryPages, realPages, type KindOfPage } from './page-kinds.ts';
import {
  measurePage,
  pageLine,
  readingTable,
  worseThan,
  type PageFigures,
} from './reading-table.ts';

/**
 * Reads all kinds of pages with this processor, Tesseract alone and OCRmyPDF, one after the other.
 * Reports each page and returns the table. Skips languages that are not installed.
 */
export async function measureReading(
  { pages: images, kinds, seeds, ocrmypdf, save, against }: ReadingPlan,
  report: (line: string) => void,
): Promise<string> {
  const temporary = await temporaryDirectory();
  const readers = await openReaders();
  const models = (await runOcr('tesseract', ['--list-langs'])).split('\n');
  const all: Side[] = ['tesseract', 'ours', ...(ocrmypdf ? (['ocrmypdf'] as const) : [])];
  const measured: PageFigures[] = [];
  const measure = async (pages: readonly KindOfPage[], sides: readonly Side[]): Promise<void> => {
    for (const page of pages.filter(({ language }) => models.includes(language))) {
      const figures = await measurePage(page, sides, readers);
      measured.push(figures);
      report(pageLine(figures));
      // After each page, since a run takes long enough to be stopped.
      if (save !== undefined) await writeFile(save, JSON.stringify(measured));
    }
  };
  try {
    // Starts the programs, so that the first page does not pay for it.
    const { file: tiff } = await pageTiff(temporary.path, 'receipt');
    await readers.process({ name: 'receipt', tiff, language: 'eng' });
    if (images !== undefined) await measure(await realPages(images, temporary.path), all);
    if (kinds === 'all') {
      await measure(await ordinaryPages(temporary.path), all);
      await measure(await hardPages(temporary.path, 0), all);
    }
    for (let seed = 1; seed < seeds; seed += 1) {
      await measure(await hardPages(temporary.path, seed), ['ours']);
    }
  } finally {
    await readers.close();
    await temporary.remove();
  }
  const tables = [readingTable(measured)];
  if (against !== undefined) {
    const earlier: PageFigures[] = JSON.parse(await readFile(against, 'utf8'));
    tables.push(worseThan(earlier, measured));
  }
  return tables.join('\n\n');
}
