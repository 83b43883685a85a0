import { createServer, type RequestListener, type Server } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import type { Log } from '../log.ts';
import { createApp } from './http/app.ts';
import { findTools } from './tools/installed-tools.ts';
import { Failure } from '../failure.ts';
import { createRequestDesk } from './http/request-queue.ts';
import { startWarmPython } from './tools/warm-python.ts';
import { TIME_LIMITS_MS, type TimeLimits } from './tools/time-limits.ts';
import { createWorkspaces } from './tools/workspaces.ts';

/** A client sends its few headers at once; slower is an attack or a broken client. In milliseconds. */
const HEADERS_TIMEOUT_MS = 5000;
/** How often Node looks for requests that are over that time. */
const CHECK_INTERVAL_MS = 1000;
/** Many services may share a processor, and a waiting request costs a socket only. */
const MAX_CONNECTIONS = 1000;
/** What is being worked on may finish within this time after SIGTERM; Docker kills ten seconds after it. */
const DRAIN_MS = 8000;

export interface ProcessorOptions {
  readonly host: string;
  /** 0 for any free one. */
  readonly port: number;
  readonly workers: number;
  /** PATH in which the native programs are found. */
  readonly searchPath: string;
  /** Directory for the private directories of requests. */
  readonly temporaryRoot: string;
  readonly log: Log;
  readonly limits?: Partial<TimeLimits>;
  readonly drainMs?: number;
}

export interface Processor {
  readonly port: number;
  /**
   * Begins nothing any more, lets what is being worked on finish for a short while, then ends it. When it resolves, no
   * program is left and no file.
   */
  stop(): Promise<void>;
}

/** Starts a processor. Rejects when a program that it needs is missing, or the port is taken. */
export async function startProcessor(options: ProcessorOptions): Promise<Processor> {
  const { searchPath, workers, log } = options;
  const tools = await findTools(searchPath);
  const workspaces = await createWorkspaces(options.temporaryRoot);
  const desk = createRequestDesk(workspaces, workers);
  const limits = { ...TIME_LIMITS_MS, ...options.limits };
  const warmPython = startWarmPython(log);
  const toolbox = { searchPath, warmPython };
  const handle = createApp({ desk, tools, toolbox, limits, workers, log }).callback();
  const cleanUp = async (): Promise<void> => {
    await warmPython.close();
    await workspaces.removeAll();
  };
  const server = await listen((request, response) => void handle(request, response), options).catch(
    async (error: unknown) => {
      await cleanUp();
      throw error;
    },
  );
  const { address, port } = boundTo(server);
  log.info({ host: address, port, workers, versions: tools.versions }, 'listening');

  async function stop(): Promise<void> {
    const stopping = new Failure(
      'shutting_down',
      'the processor is stopping: send it to another one',
    );
    desk.close(stopping);
    const closed = new Promise<void>((resolve) => void server.close(() => resolve()));
    server.closeIdleConnections();
    const finished = new AbortController();
    const late = wait(options.drainMs ?? DRAIN_MS, undefined, { signal: finished.signal }).then(
      () => desk.abort(stopping),
      () => {},
    );
    await closed;
    finished.abort();
    await late;
    await cleanUp();
  }
  return { port, stop };
}

async function listen(
  handler: RequestListener,
  { host, port }: { host: string; port: number },
): Promise<Server> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      // A body may wait unread until there is room; once it is read, receive-body.ts watches it.
      requestTimeout: 0,
    },
    handler,
  );
  server.maxConnections = MAX_CONNECTIONS;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

function boundTo(server: Server): { address: string; port: number } {
  const bound = server.address();
  if (typeof bound !== 'object' || bound === null) throw new Error('the server has no address');
  return bound;
}
