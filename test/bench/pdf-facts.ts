import { programEnvironment, runProgram } from '../../helpers/child-process.ts';
import { textOfPdf } from '../support/pages.ts';

/** For fifty colour pages. */
const READ_MS = 120_000;

export interface PdfFacts {
  /** Text of each page. */
  readonly texts: readonly string[];
  /** Width × height in pixels of the largest image on each page. */
  readonly imageSizes: readonly string[];
  readonly pdfA: boolean;
}

/** What poppler-utils sees in a document. */
export async function readPdf(file: string): Promise<PdfFacts> {
  const info = await poppler('pdfinfo', [file]);
  const pages = Number(/^Pages:\s+(\d+)/m.exec(info)?.[1]);
  const metadata = await poppler('pdfinfo', ['-meta', file]);
  const texts = await textOfPdf(file);
  return {
    texts: texts.slice(0, pages),
    imageSizes: await imageSizes(file, pages),
    pdfA: metadata.includes('pdfaid:part'),
  };
}

async function imageSizes(file: string, pages: number): Promise<string[]> {
  const largest = Array.from({ length: pages }, () => ({ width: 0, height: 0 }));
  for (const line of (await poppler('pdfimages', ['-list', file])).split('\n')) {
    // page num type width height …
    const [page, , , width, height] = line.trim().split(/\s+/).map(Number);
    const known = page === undefined ? undefined : largest[page - 1];
    if (!known || width === undefined || height === undefined) continue;
    if (width * height > known.width * known.height) Object.assign(known, { width, height });
  }
  return largest.map(({ width, height }) => `${width}×${height}`);
}

async function poppler(program: string, args: readonly string[]): Promise<string> {
  const ended = await runProgram(
    { file: program, args, cwd: '/', env: programEnvironment() },
    { timeoutMs: READ_MS },
  );
  if (ended.exitCode !== 0) throw new Error(`${program}: ${ended.stderr}`);
  return ended.stdout;
}
