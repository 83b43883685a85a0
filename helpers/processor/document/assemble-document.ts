import Joi from 'joi';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import type { DocumentOptions } from '../../processor-contract.ts';
import { documentAddressSpace } from '../tools/memory.ts';
import type { TimeLimits } from '../tools/time-limits.ts';
import type { Toolbox } from '../tools/toolbox.ts';

const MB = 1_000_000;

export interface DocumentJob {
  readonly pdfs: readonly string[];
  readonly directory: string;
  readonly options: DocumentOptions;
  readonly signal: AbortSignal;
}

export interface DocumentParts {
  readonly toolbox: Toolbox;
  readonly limits: TimeLimits;
  readonly log: Log;
}

export interface MergedDocument {
  readonly file: string;
  readonly pageCount: number;
}

const assembledSchema = Joi.object<{ page_count: number }, true>({
  page_count: Joi.number().integer().required(),
});

/** Throws Failure `unreadable_page`, `insufficient_storage` or `processing_failed`. */
export async function assembleDocument(
  { pdfs, directory, options, signal }: DocumentJob,
  { toolbox, limits, log }: DocumentParts,
): Promise<MergedDocument> {
  const out = path.join(directory, 'document.pdf');
  const { title, output_type, card_paper } = options;
  const sizes = await Promise.all(pdfs.map(async (pdf) => (await stat(pdf)).size));
  const bytes = sizes.reduce((sum, size) => sum + size, 0);
  const context = {
    toolbox,
    directory,
    signal,
    timeoutMs: limits.document + Math.ceil(bytes / MB) * limits.documentMegabyte,
    memoryBytes: documentAddressSpace(bytes),
  };
  const job = {
    job: 'assemble',
    options: { pdfs, out, title, pdfa: output_type === 'pdfa', ...(card_paper && { card_paper }) },
    schema: assembledSchema,
  };
  try {
    const { page_count: pageCount } = await toolbox.python.run(job, context);
    return { file: out, pageCount };
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
