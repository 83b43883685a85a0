import pLimit from 'p-limit';
import path from 'node:path';
import type { Log } from '../../helpers/log.ts';
import type { PageOptions, ProcessorClient } from '../processor/processor-client.ts';
import {
  findRecognized,
  noteRecognized,
  prepareRecognized,
  recognizedFile,
  stampOf,
  type RecognizedPage,
} from './recognized-page.ts';
import type { StoredPage } from './stored-pages.ts';

export interface Recognition {
  /** Sends a page to the processor as soon as there is room, unless it was recognised before; returns at once. */
  add(page: StoredPage): void;
  /** Waits for every page added; rejects with the first failure, after which nothing is under way any more. */
  finish(): Promise<RecognizedPage[]>;
  /** Gives up: nothing is under way any more when it resolves. Pages that were recognised stay. */
  cancel(): Promise<void>;
}

export interface RecognitionOptions {
  readonly processor: ProcessorClient;
  readonly page: PageOptions;
  /** The scan directory. */
  readonly directory: string;
  /** Pages that are with the processor at once. */
  readonly concurrency: number;
  readonly signal: AbortSignal;
  readonly log: Log;
}

/**
 * OCR while the feeder runs: each page goes to the processor the moment it is complete on disk, at most `concurrency` at
 * a time, so that memory and sockets do not grow with the stack.
 */
export function createRecognition(options: RecognitionOptions): Recognition {
  const { processor, directory } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const limit = pLimit(options.concurrency);
  const pages: Promise<RecognizedPage>[] = [];
  let prepared: Promise<void> | undefined;

  async function recognize(page: StoredPage): Promise<RecognizedPage> {
    signal.throwIfAborted();
    const before = await findRecognized(directory, page);
    if (before) return before;
    await (prepared ??= prepareRecognized(directory));
    const file = recognizedFile(directory, page);
    const stamp = await stampOf(directory, page);
    const began = performance.now();
    const { warnings } = await processor.recognizePage({
      pageFile: path.join(directory, page.filename),
      outFile: file,
      options: options.page,
      signal,
      log: options.log,
    });
    const recognized = {
      number: page.number,
      file,
      warnings: warnings.map((w) => `page ${page.number}: ${w}`),
    };
    if (stamp) await noteRecognized(recognized, stamp);
    const duration_ms = Math.round(performance.now() - began);
    options.log.info({ page: page.number, duration_ms }, 'page recognized');
    return recognized;
  }

  return {
    add: (page) => {
      const recognized = limit(() => recognize(page));
      // A page that fails ends the others; `finish` reports it.
      recognized.catch((error: unknown) => stop.abort(error));
      pages.push(recognized);
    },
    finish: async () => {
      const settled = await Promise.allSettled(pages);
      if (stop.signal.aborted) throw stop.signal.reason;
      return settled.flatMap((page) => (page.status === 'fulfilled' ? [page.value] : []));
    },
    cancel: async () => {
      stop.abort(new Error('the scan ended early'));
      await Promise.allSettled(pages);
    },
  };
}
