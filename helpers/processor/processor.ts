import { setTimeout as wait } from 'node:timers/promises';
import { listen, type ListeningServer } from '../http/server.ts';
import type { Log } from '../log.ts';
import { createCodeReader } from './codes/code-reader.ts';
import { createApp } from './http/app.ts';
import { PACE_LIMIT, type PaceLimit } from './http/receive-body.ts';
import { createRequestQueue } from './http/request-queue.ts';
import { loadModels } from './page/tesseract.ts';
import { findTools, versionsOf, type InstalledTools } from './tools/installed-tools.ts';
import { pageMemory, programMemory } from './tools/memory.ts';
import { createPythonJobs, processorStopping } from './tools/python-jobs.ts';
import { RECOGNIZER_SCRIPT, WORKER_SCRIPT } from './tools/python-worker.ts';
import { TIME_LIMITS_MS, type TimeLimits } from './tools/time-limits.ts';
import type { JobContext, Toolbox } from './tools/toolbox.ts';
import { createWorkspaces } from './tools/workspaces.ts';

/**
 * A waiting request costs only a socket, and its body may wait unread, so its duration is not
 * limited (0). While a body is read, receive-body.ts checks its pace.
 */
const SERVER_LIMITS = { maxConnections: 1000, requestMs: 0 };
/** Time for running work after SIGTERM. Docker kills ten seconds after it. */
const DRAIN_MS = 8000;
/** Time for sending the responses of aborted requests. */
const LAST_ANSWERS_MS = 1000;
/**
 * Time limit for querying the tools and loading a model. Usually takes a second, but more than 30 s
 * for emulated Python on a busy machine.
 */
const ASK_TIMEOUT_MS = 180_000;

export interface ProcessorOptions {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly workers: number;
  readonly searchPath: string;
  readonly temporaryRoot: string;
  readonly log: Log;
  readonly limits?: Partial<TimeLimits>;
  readonly drainMs?: number;
  /** Memory for all programs together. Default: `programMemory`. */
  readonly memoryBytes?: number;
  readonly allowedHosts?: readonly string[];
  readonly pace?: PaceLimit;
  readonly recognizerScript?: string;
}

export interface Processor {
  readonly port: number;
  /** Gives running work `DRAIN_MS`, then aborts it. Leaves no programs or files behind. */
  stop(): Promise<void>;
}

/** Rejects if a required program is missing or the port is taken. */
export async function startProcessor(options: ProcessorOptions): Promise<Processor> {
  const { searchPath, workers, log, recognizerScript = RECOGNIZER_SCRIPT } = options;
  const workspaces = await createWorkspaces(options.temporaryRoot);
  const python = createPythonJobs({ searchPath, log, script: WORKER_SCRIPT });
  const recognizers = createPythonJobs({ searchPath, log, script: recognizerScript });
  const toolbox = { searchPath, python, recognizers };
  const codes = createCodeReader();
  const memoryBytes = options.memoryBytes ?? programMemory();
  const queue = createRequestQueue(workspaces, workers, memoryBytes);
  let tools: InstalledTools | undefined;
  const cleanUp = async (): Promise<void> => {
    await Promise.all([tools?.close(), python.close(), recognizers.close(), codes.close()]);
    await workspaces.removeAll();
  };
  try {
    tools = await examine({ toolbox, workers, log });
    const parts = { queue, toolbox, codes, workers, log, tools };
    const limits = { ...TIME_LIMITS_MS, ...options.limits };
    const { allowedHosts = [], pace = PACE_LIMIT } = options;
    const app = createApp({ ...parts, limits, allowedHosts, pace });
    const drainMs = options.drainMs ?? DRAIN_MS;
    const server = await startServer(app, options, drainMs);
    const { versions } = tools;
    const memoryMb = Math.round(memoryBytes / 1024 / 1024);
    log.info(
      { event: 'listening', host: options.host, port: server.port, workers, memoryMb, versions },
      'listening',
    );
    return { port: server.port, stop: () => stop({ server, queue, drainMs, cleanUp }) };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}

interface Examination {
  readonly toolbox: Toolbox;
  readonly workers: number;
  readonly log: Log;
}

async function examine({ toolbox, workers, log }: Examination): Promise<InstalledTools> {
  const context: JobContext = {
    toolbox,
    directory: '/',
    timeoutMs: ASK_TIMEOUT_MS,
    memoryBytes: pageMemory({ pixels: 0, gray: true }),
    signal: new AbortController().signal,
  };
  // Starts all Python workers, so that no page waits for their modules.
  const { python } = toolbox;
  const others = Array.from({ length: workers - 1 }, () => versionsOf('OCRmyPDF', python, context));
  const [tools] = await Promise.all([findTools(context, log), ...others]);
  const [language = 'eng'] = tools.languages().toSorted(englishFirst);
  // If a model cannot be loaded, the first page reports it.
  await Promise.allSettled(Array.from({ length: workers }, () => loadModels([language], context)));
  return tools;
}

function englishFirst(a: string, b: string): number {
  return Number(b === 'eng') - Number(a === 'eng');
}

function startServer(
  app: ReturnType<typeof createApp>,
  { host, port, log }: ProcessorOptions,
  drainMs: number,
): Promise<ListeningServer> {
  const handle = app.callback();
  const limits = { ...SERVER_LIMITS, closeMs: drainMs + LAST_ANSWERS_MS };
  return listen((request, response) => void handle(request, response), { host, port, log, limits });
}

interface Stopping {
  readonly server: ListeningServer;
  readonly queue: ReturnType<typeof createRequestQueue>;
  readonly drainMs: number;
  readonly cleanUp: () => Promise<void>;
}

async function stop({ server, queue, drainMs, cleanUp }: Stopping): Promise<void> {
  const stopping = processorStopping();
  queue.close(stopping);
  const finished = new AbortController();
  const late = wait(drainMs, undefined, { signal: finished.signal }).then(
    () => queue.abort(stopping),
    () => {},
  );
  await server.close();
  finished.abort();
  await late;
  await cleanUp();
}
