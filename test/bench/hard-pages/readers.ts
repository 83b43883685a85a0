import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment, runProgram } from '../../../helpers/child-process.ts';
import {
  recognizePage,
  type RecognizedPage,
} from '../../../helpers/processor/page/recognize-page.ts';
import { keptToolbox } from '../../helpers/processor/support/job-context.ts';
import { pageWork } from '../../helpers/processor/support/page-samples.ts';
import type { HardPage } from '../../support/hard-pages.ts';
import { textOfPdf } from '../../support/pages.ts';
import type { KeptReadings } from './kept-readings.ts';

/** What reads the pages, and how tables name it: this processor, OCRmyPDF as people call it, and Tesseract on the raw page. */
export const SIDES = {
  ours: 'ours',
  ocrmypdf: 'OCRmyPDF --rotate-pages --deskew',
  tesseract: 'Tesseract alone',
} as const;
export type Side = keyof typeof SIDES;

/** A scan, and the language it is read in. */
export type ScannedPage = Omit<HardPage, 'text'>;

/** A page takes OCRmyPDF half a minute on a busy machine. */
const TIMEOUT_MS = 5 * 60_000;

export interface Readers {
  /** The text that a side finds on a page. */
  read(side: Side, page: ScannedPage): Promise<string>;
  /** What this processor makes of a page. */
  process(page: ScannedPage): Promise<RecognizedPage>;
  close(): Promise<void>;
}

/** Opens the three sides; `directory` is for their files, and `kept` has what the other two have read before. */
export async function openReaders(directory: string, kept: KeptReadings): Promise<Readers> {
  const toolbox = keptToolbox();

  const process = async ({ name, tiff, language }: ScannedPage): Promise<RecognizedPage> => {
    const own = path.join(directory, `${name}-work`);
    await mkdir(own);
    const { job, parts } = pageWork(own, tiff, {
      toolbox,
      options: { languages: [language], rotate_pages: true },
    });
    const page = await recognizePage(job, parts);
    await parts.codes.close();
    return page;
  };
  const ours = async (page: ScannedPage): Promise<string> => {
    const { pdf } = await process(page);
    return pdf === null ? '' : (await textOfPdf(pdf)).join('\n');
  };
  const ocrmypdf = async ({ tiff, language }: ScannedPage): Promise<string> => {
    const options = ['--rotate-pages', '--deskew', '-j1', '--image-dpi', '300', '-l', language];
    return kept.reading(['ocrmypdf', ...options], tiff, async () => {
      const pdf = `${tiff}.pdf`;
      await runOcr('ocrmypdf', [...options, tiff, pdf]);
      return (await textOfPdf(pdf)).join('\n');
    });
  };
  const tesseract = async ({ tiff, language }: ScannedPage): Promise<string> => {
    const options = ['-', '-l', language, '--psm', '3'];
    return kept.reading(['tesseract', ...options], tiff, () =>
      runOcr('tesseract', [tiff, ...options]),
    );
  };

  const sides = { ours, ocrmypdf, tesseract };
  return {
    read: (side, page) => sides[side](page),
    process,
    close: () => toolbox.close(),
  };
}

/** Runs a program with one thread of Tesseract and gives what it prints. Throws where it fails. */
export async function runOcr(file: string, args: readonly string[]): Promise<string> {
  const env = programEnvironment({ OMP_THREAD_LIMIT: '1' });
  const ended = await runProgram({ file, args, cwd: '/', env }, { timeoutMs: TIMEOUT_MS });
  if (ended.exitCode !== 0) throw new Error(`${file}: ${ended.stderr}`);
  return ended.stdout;
}
