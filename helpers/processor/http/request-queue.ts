import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Context } from 'koa';
import { ClientGone } from '../../http/error-answers.ts';
import { createWorkerPool, type WorkerPool } from '../tools/worker-pool.ts';
import type { Workspace, Workspaces } from '../tools/workspaces.ts';

/** Read size for the PDF to send. A read costs a round trip to a thread. Node's default: 64 KB. */
const PIECE_BYTES = 512 * 1024;

export interface Job<Received> {
  readonly receive: (place: Place) => Promise<Received>;
  /** Memory that the work needs, in bytes. */
  readonly memoryFor: (received: Received) => number;
  readonly work: (received: Received, place: Place) => Promise<FileAnswer>;
}

export interface Place {
  readonly directory: string;
  /** Aborted when the client disconnects or the processor stops. */
  readonly signal: AbortSignal;
}

export interface FileAnswer {
  readonly file: string | null;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RequestQueue {
  /** Responds with a PDF, or without content. */
  serve<Received>(ctx: Context, job: Job<Received>): Promise<void>;
  /** Rejects waiting and new requests. */
  close(reason: Error): void;
  /** Aborts running work too, with its programs. */
  abort(reason: Error): void;
}

/**
 * Processes at most `workers` requests at a time, within `memoryBytes`. Receives as many further
 * bodies in advance. Other requests wait with unread bodies, which take no disk space here. A body
 * that arrives too slowly loses its place (receive-body.ts).
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

function clientSignal({ res }: Context): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort(new ClientGone());
  });
  // Koa, the access log and the file stream add more listeners than the default limit.
  res.setMaxListeners(20);
  return gone.signal;
}

/** Removes the workspace after the last byte, or when the client disconnects. */
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
