import pLimit from 'p-limit';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import type { ScannedPage } from '../../helpers/ipc/messages.ts';
import type { Log } from '../../helpers/log.ts';
import type { PageOptions, ProcessorClient } from '../processor/processor-client.ts';

/** Where the recognised pages are kept until their documents are assembled, inside the scan directory. */
export const RECOGNIZED_DIRECTORY = 'recognized';

/** A page that went through OCR: a one-page searchable PDF in the scan directory. */
export interface RecognizedPage {
  readonly number: number;
  readonly file: string;
  readonly warnings: readonly string[];
}

export interface Recognition {
  /** Sends a page to the processor as soon as there is room; returns at once. */
  add(page: ScannedPage): void;
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

  async function recognize(page: ScannedPage): Promise<RecognizedPage> {
    signal.throwIfAborted();
    const outDirectory = path.join(directory, RECOGNIZED_DIRECTORY);
    await mkdir(outDirectory, { recursive: true });
    const file = path.join(outDirectory, page.filename.replace(/\.tif$/, '.pdf'));
    const { warnings } = await processor.recognizePage({
      pageFile: path.join(directory, page.filename),
      outFile: file,
      options: options.page,
      signal,
      log: options.log,
    });
    return {
      number: page.number,
      file,
      warnings: warnings.map((w) => `page ${page.number}: ${w}`),
    };
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
