import type { Context } from 'koa';
import path from 'node:path';
import type { AppParts } from './app-parts.ts';
import { checkBody, receiveFile } from './receive-body.ts';
import { readPageHeader } from '../page/plain-tiff.ts';
import { pageMemory } from '../tools/memory.ts';
import { recognizePage } from '../page/recognize-page.ts';
import { readPageOptions } from './request-options.ts';
import {
  PAGE_FACTS_HEADER,
  WARNINGS_HEADER,
  writePageFacts,
  writeWarnings,
} from '../../processor-contract.ts';

/** A3 in colour at 1200 dpi is 835 MB. */
const MAX_PAGE_BYTES = 1024 * 1024 * 1024;

/**
 * POST /pages?languages=eng,deu&deskew=false (see PageOptions), with a TIFF body. Returns a PDF, or
 * 204 if the page is left out. Warnings and facts are in headers.
 */
export function pageRoute(parts: AppParts) {
  return async (ctx: Context): Promise<void> => {
    const options = readPageOptions(new URLSearchParams(ctx.querystring));
    checkBody(ctx, { contentType: 'image/tiff', maxBytes: MAX_PAGE_BYTES });
    if (options.ocr) parts.tools.checkLanguages(options.languages);
    await parts.queue.serve(ctx, {
      receive: async ({ directory, signal }) => {
        const tiff = path.join(directory, 'scanned.tif');
        await receiveFile(ctx.req, tiff, { signal, pace: parts.pace });
        return { tiff, memoryBytes: pageMemory(await readPageHeader(tiff)) };
      },
      memoryFor: ({ memoryBytes }) => memoryBytes,
      work: async (received, place) => {
        const pageParts = { ...parts, jbig2: 'jbig2' in parts.tools.versions };
        const page = await recognizePage({ ...place, ...received, options }, pageParts);
        return {
          file: page.pdf,
          headers: {
            [WARNINGS_HEADER]: writeWarnings(page.warnings),
            [PAGE_FACTS_HEADER]: writePageFacts(page.facts),
          },
        };
      },
    });
  };
}
