import { Worker } from 'node:worker_threads';
import type { PageCode } from '../../page-facts.ts';
import { createWorkerPool } from '../tools/worker-pool.ts';

const WORKER = new URL('code-worker.ts', import.meta.url);

export interface CodeImage {
  readonly file: string;
  readonly dpi: number;
}

export interface CodeReader {
  /** Rejects with the signal's reason, or an Error if the thread fails or times out. */
  read(image: CodeImage, limits: { signal: AbortSignal; timeoutMs: number }): Promise<PageCode[]>;
  close(): Promise<void>;
}

/** The thread starts with the first image. Tests replace `script`. */
export function createCodeReader(script: URL = WORKER): CodeReader {
  // One thread suffices: OCR of a page takes at least ten times as long as reading its codes.
  const turns = createWorkerPool(1);
  let worker: Worker | undefined;

  function started(): Worker {
    const thread = new Worker(script, { stdout: true, stderr: true });
    thread.unref();
    // `readOnce` reports errors. A thread that dies while idle is replaced for the next image.
    thread.on('error', () => {});
    thread.on('exit', () => {
      if (worker === thread) worker = undefined;
    });
    return thread;
  }

  async function readOnce(image: CodeImage, stop: AbortSignal): Promise<PageCode[]> {
    stop.throwIfAborted();
    const thread = (worker ??= started());
    const { promise, resolve, reject } = Promise.withResolvers<PageCode[]>();
    const onExit = (code: number): void => reject(new Error(`it ended with exit code ${code}`));
    const onAbort = (): void => reject(stop.reason);
    thread.on('message', resolve).on('error', reject).on('exit', onExit);
    stop.addEventListener('abort', onAbort);
    thread.ref();
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread is no window
    thread.postMessage(image);
    try {
      return await promise;
    } catch (error) {
      // The thread may still be busy, or broken.
      await thread.terminate();
      throw error;
    } finally {
      thread.off('message', resolve).off('error', reject).off('exit', onExit).unref();
      stop.removeEventListener('abort', onAbort);
    }
  }

  return {
    read: (image, { signal, timeoutMs }) =>
      turns.run(signal, 0, () =>
        readOnce(image, AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)])),
      ),
    close: async () => {
      await worker?.terminate();
    },
  };
}
