import Joi from 'joi';
import type { Ended } from '../../child-process.ts';
import { Failure } from '../../failure.ts';
import type { Log } from '../../log.ts';
import { startPythonWorker, type Answer, type PythonWorker } from './python-worker.ts';
import { pageTooLarge } from './memory.ts';
import { describeEnd, type JobContext, type PythonJob, type PythonJobs } from './toolbox.ts';
import { isFull, storageFull } from './workspaces.ts';

export interface PythonJobsOptions {
  readonly searchPath: string;
  readonly log: Log;
  readonly script: string;
}

/** A job failed for a reason that has no Failure of its own. */
export class JobFailed extends Error {
  /** A clause that follows the name of the job. */
  readonly reason: string;
  /** Undefined if the process is still running. */
  readonly ended: Ended | undefined;

  constructor(job: string, reason: string, ended?: Ended) {
    super(`${job}: ${reason}`);
    this.reason = reason;
    this.ended = ended;
  }
}

/** Processes start with the first job. */
export function createPythonJobs({ searchPath, log, script }: PythonJobsOptions): PythonJobs {
  const idle: PythonWorker[] = [];
  const all = new Set<PythonWorker>();
  let closed = false;

  const started = (): PythonWorker => startPythonWorker(searchPath, script);

  const throwIfStopped = (signal: AbortSignal): void => {
    signal.throwIfAborted();
    if (closed) throw processorStopping();
  };

  async function runOnce(
    worker: PythonWorker,
    job: object,
    context: JobContext,
  ): Promise<Answer | Ended> {
    all.add(worker);
    const stop = AbortSignal.any([context.signal, AbortSignal.timeout(context.timeoutMs)]);
    const kill = (): void => void worker.kill();
    stop.addEventListener('abort', kill);
    if (stop.aborted) kill();
    const began = performance.now();
    const answer = await worker.run(job);
    stop.removeEventListener('abort', kill);
    if (!isEnd(answer)) {
      idle.push(worker);
      return answer;
    }
    all.delete(worker);
    return { ...answer, timedOut: stop.aborted, durationMs: performance.now() - began };
  }

  return {
    run: async <Result>(
      { job, options, schema }: PythonJob<Result>,
      context: JobContext,
    ): Promise<Result> => {
      const { directory, memoryBytes, signal } = context;
      throwIfStopped(signal);
      const line = { job, options, directory, memory_bytes: memoryBytes };
      let answer = await runOnce(idle.pop() ?? started(), line, context);
      if (isEnd(answer) && !answer.timedOut) {
        throwIfStopped(signal);
        logDeath(log, job, answer);
        // Idle processes may have been killed too, so the retry needs a new one.
        answer = await runOnce(started(), line, context);
      }
      signal.throwIfAborted();
      if ('result' in answer) return Joi.attempt(answer.result, schema, { convert: false });
      throw await failureOf(job, answer, directory);
    },
    close: async () => {
      closed = true;
      await Promise.all([...all].map((worker) => worker.kill()));
    },
  };
}

export function processorStopping(): Failure {
  return new Failure('shutting_down', 'The processor is stopping. Send the request again.');
}

function logDeath(log: Log, job: string, { exitCode, signal, stderr }: Ended): void {
  const died = { event: 'python_worker_died', job, exitCode, signal, stderr };
  log.error(died, 'a Python worker died');
}

function isEnd(answer: Answer | Ended): answer is Ended {
  return 'durationMs' in answer;
}

async function failureOf(
  job: string,
  answer: Exclude<Answer, { result: object }> | Ended,
  directory: string,
): Promise<Error> {
  const reason = isEnd(answer) ? describeEnd(answer) : answer.message;
  const kind = isEnd(answer) ? 'failed' : answer.error;
  if (kind === 'unreadable') return new Failure('unreadable_page', reason);
  if (kind === 'no_memory') return pageTooLarge(reason);
  const failed = new JobFailed(job, reason, isEnd(answer) ? answer : undefined);
  return kind === 'no_space' || (await isFull(directory)) ? storageFull(failed) : failed;
}
