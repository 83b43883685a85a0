import { readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import Joi from 'joi';
import type { Ended } from '../../child-process.ts';
import type { JobContext } from '../page/page-scripts.ts';
import { findPythonScript } from '../tools/python.ts';
import type { DocumentOptions } from '../../processor-contract.ts';
import { describeEnd, runScript, runTool, type Toolbox, type ToolRun } from '../tools/toolbox.ts';

/** How OCRmyPDF ended: with a complete document, with pages that it cannot read, or without either. */
export type OcrmypdfResult =
  | { readonly kind: 'complete'; readonly file: string; readonly warnings: readonly string[] }
  | { readonly kind: 'unreadable'; readonly message: string }
  | { readonly kind: 'failed'; readonly reason: string };

/** Exit codes, which are a stable interface of OCRmyPDF ("Return code policy" of its documentation). */
const OK = 0;
const INPUT_FILE = 2;
const PDFA_CONVERSION_FAILED = 10;
const MEANINGS: Readonly<Record<number, string>> = {
  1: 'bad arguments',
  3: 'a program that it needs is missing',
  4: 'the result is invalid',
  5: 'no access to a file',
  6: 'a page has text already',
  7: 'a program that it runs failed',
  8: 'a page is encrypted',
  9: 'bad configuration for Tesseract',
  15: 'another error',
  130: 'interrupted',
};

interface Receipt {
  page_count: number;
  bytes: number;
  pdfa: boolean;
}

const receiptSchema = Joi.object<Receipt, true>({
  page_count: Joi.number().integer().required(),
  bytes: Joi.number().integer().required(),
  pdfa: Joi.boolean().required(),
});

/** Pages whose text is known, and the directory that it is written to, page by page. */
export interface OcrmypdfRequest {
  readonly pages: readonly string[];
  readonly texts: string;
  readonly options: DocumentOptions;
}

/** Has OCRmyPDF make a document of one-page PDFs; how, is in ocrmypdf_plugin.py. */
export async function runOcrmypdf(
  request: OcrmypdfRequest,
  { toolbox, ...where }: JobContext,
): Promise<OcrmypdfResult> {
  const inside = (name: string): string => path.join(where.directory, name);
  const files = { pageList: inside('pages.json'), receipt: inside('receipt.json') };
  const file = inside('document.pdf');
  await writeFile(files.pageList, JSON.stringify(request.pages));
  // A file is read back and checked, which takes ten times as long as all the rest; the receipt stands in for that.
  const args = [...optionsFor(request, files), inside('images.pdf'), '-'];
  const ended = await runIt(toolbox, { args, stdoutFile: file, ...where });
  if (ended.exitCode === INPUT_FILE) {
    return { kind: 'unreadable', message: ended.stderr.trim().split('\n').at(-1) ?? '' };
  }
  if (ended.exitCode !== OK && ended.exitCode !== PDFA_CONVERSION_FAILED) {
    return { kind: 'failed', reason: explain(ended.exitCode, describeEnd(ended)) };
  }
  const receipt = await readReceipt(files.receipt);
  const { size } = await stat(file);
  if (receipt?.page_count !== request.pages.length || receipt.bytes !== size) {
    const reason = `ended with exit code ${ended.exitCode}, but its document is not complete`;
    return { kind: 'failed', reason };
  }
  const isArchivable = ended.exitCode === OK && receipt.pdfa;
  if (request.options.output_type === 'pdf' || isArchivable) {
    return { kind: 'complete', file, warnings: [] };
  }
  const warning = `the document is not PDF/A (OCRmyPDF ended with exit code ${ended.exitCode})`;
  return { kind: 'complete', file, warnings: [warning] };
}

/** In the warm Python where that can run it: a new one takes longer to start than to assemble ten pages. */
async function runIt(toolbox: Toolbox, run: Omit<ToolRun, 'file'>): Promise<Ended> {
  const script = toolbox.warmPython && (await findPythonScript('ocrmypdf', toolbox.searchPath));
  return script === undefined
    ? runTool(toolbox, { ...run, file: 'ocrmypdf' })
    : runScript(toolbox, { ...run, file: script });
}

function optionsFor(
  { texts, options }: OcrmypdfRequest,
  files: { readonly pageList: string; readonly receipt: string },
): string[] {
  return [
    `--plugin=${path.join(import.meta.dirname, '../python/ocrmypdf_plugin.py')}`,
    `--page-list=${files.pageList}`,
    `--text-directory=${texts}`,
    `--receipt=${files.receipt}`,
    // Pages of others keep the text they have.
    '--skip-text',
    '--pdf-renderer=sandwich',
    `--output-type=${options.output_type === 'pdfa' ? 'pdfa-2' : 'pdf'}`,
    // The images are encoded already.
    '--optimize=0',
    // A web-optimized file takes longer to write, and nobody reads it over the web: above a terabyte, that is never.
    '--fast-web-view=1000000',
    // Nothing is left that more processes would make quicker.
    '--jobs=1',
    '--use-threads',
    `--language=${options.languages.join('+')}`,
    ...(options.title === '' ? [] : [`--title=${options.title}`]),
    '--quiet',
  ];
}

function explain(exitCode: number | undefined, end: string): string {
  const meaning = exitCode === undefined ? undefined : MEANINGS[exitCode];
  return meaning === undefined ? end : `${end} (${meaning})`;
}

async function readReceipt(file: string): Promise<Receipt | undefined> {
  try {
    return Joi.attempt(JSON.parse(await readFile(file, 'utf8')), receiptSchema);
  } catch {
    // It did not get that far.
    return undefined;
  }
}
