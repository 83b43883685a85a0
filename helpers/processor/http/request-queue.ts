import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Context } from 'koa';
import { createWorkerPool, type WorkerPool } from '../tools/worker-pool.ts';
import type { Workspace, Workspaces } from '../tools/workspaces.ts';

/** Thrown inside when there is nobody left to answer. */
export class ClientGone extends Error {
  constructor() {
    super('the client closed the connection');
    this.name = 'ClientGone';
  }
}

/** What a request brought and what is made of it. */
export interface Errand<Received> {
  /** Reads the body into the request's directory. */
  readonly receive: (place: Place) => Promise<Received>;
  /** Does the work; gives the file that is the answer, and headers about it. */
  readonly work: (received: Received, place: Place) => Promise<FileAnswer>;
}

/** Where a request is worked on, and until when. */
export interface Place {
  readonly directory: string;
  /** Aborted when the client is gone or the processor stops. */
  readonly signal: AbortSignal;
}

export interface FileAnswer {
  readonly file: string;
  readonly headers: Readonly<Record<string, string>>;
}

export interface RequestDesk {
  /** Serves a request: a directory of its own, a place in the queue, a PDF as the answer, and nothing left behind. */
  serve<Received>(ctx: Context, errand: Errand<Received>): Promise<void>;
  /** From now on nothing is begun: what waits, and what comes, is rejected with the reason. */
  close(reason: Error): void;
  /** Ends what is being worked on, programs and all. */
  abort(reason: Error): void;
}

/**
 * A queue with two counters. At `workers` of them one request each is worked on; as many again have been let in, so that
 * the next body is here when a worker is free. The others wait at the door with their bodies unread, whatever their number:
 * they take no disk, and a page waits as well on the disk of the client.
 */
export function createRequestDesk(workspaces: Workspaces, workers: number): RequestDesk {
  const door = createWorkerPool(workers * 2);
  const working = createWorkerPool(workers);
  const stopped = new AbortController();

  return {
    serve: async (ctx, errand) => {
      const signal = AbortSignal.any([clientSignal(ctx), stopped.signal]);
      await door.run(signal, async () => {
        const workspace = await workspaces.create();
        try {
          const answer = await workOn(errand, { directory: workspace.directory, signal }, working);
          await sendFile(ctx, answer, workspace);
        } catch (error) {
          await workspace.remove();
          signal.throwIfAborted();
          throw error;
        }
      });
    },
    close: (reason) => {
      door.close(reason);
      working.close(reason);
    },
    abort: (reason) => stopped.abort(reason),
  };
}

async function workOn<Received>(
  errand: Errand<Received>,
  place: Place,
  working: WorkerPool,
): Promise<FileAnswer> {
  const received = await errand.receive(place);
  return working.run(place.signal, () => errand.work(received, place));
}

/** Aborted when the client closes the connection before it has its answer. */
function clientSignal({ res }: Context): AbortSignal {
  const gone = new AbortController();
  res.once('close', () => {
    if (!res.writableFinished) gone.abort(new ClientGone());
  });
  return gone.signal;
}

/** Answers with a PDF; the workspace is removed when the last byte is sent or the client is gone. */
async function sendFile(
  ctx: Context,
  { file, headers }: FileAnswer,
  workspace: Workspace,
): Promise<void> {
  const { size } = await stat(file);
  if (ctx.res.destroyed) throw new ClientGone();
  ctx.res.once('close', () => void workspace.remove());
  ctx.status = 200;
  ctx.set(headers);
  ctx.type = 'application/pdf';
  ctx.length = size;
  ctx.body = createReadStream(file);
}
