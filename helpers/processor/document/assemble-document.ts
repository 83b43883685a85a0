import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { Log } from '../../log.ts';
import { runOcrmypdf } from './ocrmypdf.ts';
import { mergePages } from '../page/page-scripts.ts';
import { Failure } from '../../failure.ts';
import { storageFull } from '../tools/workspaces.ts';
import type { DocumentOptions } from '../../processor-contract.ts';
import type { TimeLimits } from '../tools/time-limits.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { isFull } from '../tools/workspaces.ts';

export interface DocumentJob {
  /** One-page PDFs, in order. */
  readonly pages: readonly string[];
  /** Private directory of the request. */
  readonly directory: string;
  readonly options: DocumentOptions;
  readonly signal: AbortSignal;
}

export interface DocumentParts {
  readonly toolbox: Toolbox;
  readonly limits: TimeLimits;
  readonly log: Log;
}

export interface AssembledDocument {
  /** In the request's directory. */
  readonly pdf: string;
  readonly warnings: readonly string[];
}

/**
 * Makes a document of one-page PDFs. OCRmyPDF does it; when it fails, the pages are merged as they are, so that nothing
 * is lost but some bytes, and a warning tells. Throws Failure `unreadable_page` for a page that is no PDF, and
 * `insufficient_storage`.
 */
export async function assembleDocument(
  job: DocumentJob,
  parts: DocumentParts,
): Promise<AssembledDocument> {
  const { pages, directory, options, signal } = job;
  const texts = path.join(directory, 'texts');
  await mkdir(texts);
  const timeoutMs = parts.limits.document + pages.length * parts.limits.documentPage;
  const context = { toolbox: parts.toolbox, directory, signal, timeoutMs };
  const made = await runOcrmypdf({ pages, texts, options }, context);
  if (made.kind === 'complete') return { pdf: made.file, warnings: made.warnings };
  if (made.kind === 'unreadable') throw new Failure('unreadable_page', made.message);
  if (await isFull(directory)) throw storageFull();
  parts.log.warn({ reason: made.reason }, 'OCRmyPDF failed; merging the pages without it');
  const pdf = path.join(directory, 'merged.pdf');
  const { title, output_type: outputType } = options;
  await mergePages({ pages, out: pdf, title, pdfa: outputType === 'pdfa' }, context);
  return { pdf, warnings: [`OCRmyPDF ${made.reason}: the pages were merged without it`] };
}
