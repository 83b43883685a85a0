import Joi from 'joi';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import type { DocumentOptions } from '../../processor-contract.ts';
import { documentAddressSpace } from '../tools/memory.ts';
import type { TimeLimits } from '../tools/time-limits.ts';
import type { Toolbox } from '../tools/toolbox.ts';

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

const assembledSchema = Joi.object<{ page_count: number }, true>({
  page_count: Joi.number().integer().required(),
});

/**
 * Merges one-page PDFs: see document_pdf.py. Returns the file, in the request's directory. Throws Failure `unreadable_page` for
 * a page that is no PDF, `processing_failed` with the reason, and `insufficient_storage`.
 */
export async function assembleDocument(
  { pages, directory, options, signal }: DocumentJob,
  { toolbox, limits, log }: DocumentParts,
): Promise<string> {
  const out = path.join(directory, 'document.pdf');
  const { title, output_type } = options;
  const sizes = await Promise.all(pages.map(async (page) => (await stat(page)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const context = {
    toolbox,
    directory,
    signal,
    timeoutMs: limits.document + pages.length * limits.documentPage,
    memoryBytes: documentAddressSpace(bytes),
  };
  const job = {
    job: 'assemble',
    options: { pages, out, title, pdfa: output_type === 'pdfa' },
    schema: assembledSchema,
  };
  try {
    await toolbox.python.run(job, context);
    return out;
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Failure || !(error instanceof Error)) throw error;
    log.error({ event: 'assembly_failed', err: error }, 'a document could not be assembled');
    throw new Failure(
      'processing_failed',
      `The document could not be assembled. The recognized pages are kept: try again (${error.message}).`,
      { cause: error },
    );
  }
}
