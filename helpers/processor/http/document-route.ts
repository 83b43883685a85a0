import type { Context } from 'koa';
import type { AppParts } from './app-parts.ts';
import { assembleDocument } from '../document/assemble-document.ts';
import { DOCUMENT_MEMORY_BYTES } from '../tools/memory.ts';
import { checkBody } from './receive-body.ts';
import { receivePages } from './receive-pages.ts';
import { PAGE_COUNT_HEADER, WARNINGS_HEADER, writeWarnings } from '../../processor-contract.ts';

/** A thousand pages of 8 MiB each, which is larger than usual. */
const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024 * 1024;

/** POST /documents: a form with a part `options` (JSON) and `page` parts (PDFs, in order). */
export function documentRoute(parts: AppParts) {
  return async (ctx: Context): Promise<void> => {
    checkBody(ctx, { contentType: 'multipart/form-data', maxBytes: MAX_DOCUMENT_BYTES });
    await parts.queue.serve(ctx, {
      receive: ({ directory, signal }) =>
        receivePages(ctx.req, directory, { signal, pace: parts.pace }),
      memoryFor: () => DOCUMENT_MEMORY_BYTES,
      work: async ({ pdfs, options }, place) => {
        const { file, pageCount } = await assembleDocument({ ...place, pdfs, options }, parts);
        return {
          file,
          headers: {
            [WARNINGS_HEADER]: writeWarnings([]),
            [PAGE_COUNT_HEADER]: String(pageCount),
          },
        };
      },
    });
  };
}
