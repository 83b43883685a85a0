import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Context } from 'koa';
import { ClientGone } from '../../http/error-answers.ts';
import { createWorkerPool, type WorkerPool } from '../tools/worker-pool.ts';
import type { Workspace, Workspaces } from '../tools/workspaces.ts';

/** Bytes of an answer that are read at once: each piece costs a turn of another thread, which Node's 64 KB make eight times. */
const PIECE_BYTES = 512 * 1024;

/** What is done for a request. */
export interface Job<Received> {
  /** Reads the body into the request's directory. */
  readonly receive: (place: Place) => Promise<Received>;
  /** Bytes of memory that the work needs. */
  readonly memoryFor: (received: Received) => number;
  /** Does the work; gives the file that is the answer, if any, and headers about it. */
  readonly work: (received: Received, place: Place) => Promise<FileAnswer>;
}

/** Where a request is worked on, and until when. */
export interface Place {
  readonly directory: string;
  /** Aborted when the client is gone or the processor stops. */
  readonly signal: AbortSignal;
}

export interface FileAnswer {
  /** Null for an answer without content. */
  readonly file: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RequestQueue {
  /** Serves a request: a directory of its own, a place in the queue, a PDF or nothing as the answer, and nothing left behind. */
  serve<Received>(ctx: Context, job: Job<Received>): Promise<void>;
  /** From now on nothing begins: what waits, and what comes, is rejected with the reason. */
  close(reason: Error): void;
  /** Ends what is being worked on, programs and all. */
  abort(reason: Error): void;
}

/**
 * At most `workers` requests are worked on at once, in `memoryBytes` together; as many again have been received, so that
 * the next body is here when a worker is free. The others wait with their bodies unread, whatever their number: they take
 * no disk, and a page waits as well on the disk of the client. A body that comes too slowly loses its place: receive-body.ts.
 */
export function createRequestQueue(
  workspaces: Workspaces,
  workers: number,
  memoryBytes: number,
): RequestQueue {
  const received = createWorkerPool(workers * 2);
  const working = createWorkerPool(workers, memoryBytes);
  const stopped = new AbortController();

  return {
    serve: async (ctx, job) => {
      const signal = AbortSignal.any([clientSignal(ctx), stopped.signal]);
      await received.run(signal, 0, async () => {
        const workspace = await workspaces.create();
        try {
          const place = { directory: workspace.directory, signal };
          await send(ctx, await workOn(job, place, working), workspace);
        } catch (error) {
          await workspace.remove();
          signal.throwIfAborted();
          throw error;
        }
      });
    },
    close: (reason) => {
      received.close(reason);
      working.close(reason);
    },
    abort: (reason) => stopped.abort(reason),
  };
}

async function workOn<Received>(
  job: Job<Received>,
  place: Place,
  working: WorkerPool,
): Promise<FileAnswer> {
  const received = await job.receive(place);
  return working.run(place.signal, job.memoryFor(received), () => job.work(received, place));
}

/** Aborted when the client closes the connection before it has its answer. */
function clientSignal({ res }: Context): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort(new ClientGone());
  });
  // Koa, the access log and the file each add some.
  res.setMaxListeners(20);
  return gone.signal;
}

/** Answers with a PDF, or without one; the workspace is removed when the last byte is sent or the client is gone. */
async function send(
  ctx: Context,
  { file, headers }: FileAnswer,
  workspace: Workspace,
): Promise<void> {
  const size = file === null ? 0 : (await stat(file)).size;
  if (ctx.res.destroyed) throw new ClientGone();
  ctx.res.once('close', () => void workspace.remove());
  ctx.set(headers);
  ctx.status = file === null ? 204 : 200;
  if (file === null) return;
  ctx.type = 'application/pdf';
  ctx.length = size;
  ctx.body = createReadStream(file, { highWaterMark: PIECE_BYTES });
}
