import { rm } from 'node:fs/promises';
import path from 'node:path';
import { RECOGNIZED_DIRECTORY } from '../../archive/file-names.ts';
import { pageOptions } from '../../documents/page-options.ts';
import type { ProcessorClient } from '../../processor/processor-client.ts';
import type { Scan } from '../scan.ts';
import { assembleOne } from './assemble.ts';
import { pagesAtOnce, recognizedFile, recognizePage } from './recognize.ts';
import { withTaskGroup } from './task-group.ts';

export interface RemakeOptions {
  readonly processor: ProcessorClient;
  readonly workers: number;
  readonly documents: readonly number[];
}

/** Makes broken documents again from the same pages, recognized and grouped as before. */
export async function remakeDocuments(
  scan: Scan,
  { processor, workers, documents }: RemakeOptions,
): Promise<void> {
  const { pages, settings, documents: planned } = scan.record();
  const wanted = new Set(documents.flatMap((index) => planned[index]?.pages ?? []));
  await withTaskGroup(scan.deadline.signal, pagesAtOnce(workers), async ({ run, done, signal }) => {
    for (const page of pages.filter(({ number }) => wanted.has(number))) {
      const options = page.recognized?.options ?? pageOptions(settings, page);
      run(() => recognizePage(scan, processor, { page, options, signal }));
    }
    await done();
    const filesOf = (own: typeof pages): string[] =>
      own.map((page) => recognizedFile(scan.directory, page));
    for (const index of documents) {
      const document = planned[index];
      if (document === undefined) continue;
      run(() => assembleOne(scan, { index, document, processor, bundles: { filesOf }, signal }));
    }
  });
  await rm(path.join(scan.directory, RECOGNIZED_DIRECTORY), { recursive: true, force: true });
}
