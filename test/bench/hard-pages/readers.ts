import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { programEnvironment, runProgram } from '../../../helpers/child-process.ts';
import { recognizePage } from '../../../helpers/processor/page/recognize-page.ts';
import { keptToolbox } from '../../helpers/processor/support/job-context.ts';
import { pageWork } from '../../helpers/processor/support/page-samples.ts';
import type { HardPage } from '../../support/hard-pages.ts';
import { textOfPdf } from '../../support/pages.ts';

/** What reads the pages: this processor, OCRmyPDF as people call it, and Tesseract on the raw page. */
export const SIDES = { ours: true, ocrmypdf: true, tesseract: true } as const;
export type Side = keyof typeof SIDES;

/** A page takes OCRmyPDF half a minute on a busy machine. */
const TIMEOUT_MS = 5 * 60_000;

export interface Readers {
  /** The text that a side finds on a page. */
  read(side: Side, page: HardPage): Promise<string>;
  close(): Promise<void>;
}

/** Opens the three sides; `directory` is for their files. */
export async function openReaders(directory: string): Promise<Readers> {
  const toolbox = keptToolbox();

  const ours = async ({ name, tiff, language }: HardPage): Promise<string> => {
    const own = path.join(directory, `${name}-work`);
    await mkdir(own);
    const { job, parts } = pageWork(own, tiff, {
      toolbox,
      options: { languages: [language], rotate_pages: true },
    });
    const { pdf } = await recognizePage(job, parts);
    await parts.codes.close();
    return pdf === null ? '' : (await textOfPdf(pdf)).join('\n');
  };
  const ocrmypdf = async ({ tiff, language }: HardPage): Promise<string> => {
    const pdf = `${tiff}.pdf`;
    const args = [
      '--rotate-pages',
      '--deskew',
      '-l',
      language,
      '-j1',
      '--image-dpi',
      '300',
      tiff,
      pdf,
    ];
    await run('ocrmypdf', args);
    return (await textOfPdf(pdf)).join('\n');
  };
  const tesseract = ({ tiff, language }: HardPage): Promise<string> =>
    run('tesseract', [tiff, '-', '-l', language, '--psm', '3']);

  const sides = { ours, ocrmypdf, tesseract };
  return {
    read: (side, page) => sides[side](page),
    close: () => toolbox.close(),
  };
}

async function run(file: string, args: readonly string[]): Promise<string> {
  const env = programEnvironment({ OMP_THREAD_LIMIT: '1' });
  const ended = await runProgram({ file, args, cwd: '/', env }, { timeoutMs: TIMEOUT_MS });
  if (ended.exitCode !== 0) throw new Error(`${file}: ${ended.stderr}`);
  return ended.stdout;
}
