import { randomUUID } from 'node:crypto';
import type { Library, StoredDocument, Submission } from './library.ts';
import type { DmsVersion } from './options.ts';

export interface Task {
  readonly id: number;
  readonly task_id: string;
  readonly filename: string;
  readonly owner: number;
  readonly created: string;
  status: 'PENDING' | 'STARTED' | 'SUCCESS' | 'FAILURE';
  done: string | undefined;
  result: string | undefined;
  document: StoredDocument | undefined;
}

export interface TaskQueue {
  /** Queues an upload and gives the task at once, still pending. */
  readonly add: (submission: Submission, owner: number) => Task;
  readonly find: (taskId: string) => Task | undefined;
  readonly all: () => readonly Task[];
  /** Resolves when every task queued until now has ended. */
  readonly idle: () => Promise<void>;
}

/** One worker that takes one task after the other; `ended` is told of each. */
export function createTaskQueue(library: Library, ended: (task: Task) => void): TaskQueue {
  const tasks: Task[] = [];
  let worker = Promise.resolve();
  const work = async (task: Task, submission: Submission): Promise<void> => {
    task.status = 'STARTED';
    try {
      task.document = await library.consume(submission);
      task.status = 'SUCCESS';
      task.result = `Success. New document id ${task.document.id} created`;
    } catch (error) {
      task.status = 'FAILURE';
      task.result = error instanceof Error ? error.message : 'unknown';
    }
    task.done = new Date().toISOString();
    ended(task);
  };
  return {
    add: (submission, owner) => {
      const task: Task = {
        id: tasks.length + 1,
        task_id: randomUUID(),
        filename: submission.file.filename,
        owner,
        created: new Date().toISOString(),
        status: 'PENDING',
        done: undefined,
        result: undefined,
        document: undefined,
      };
      tasks.push(task);
      worker = worker.then(() => work(task, submission));
      return task;
    },
    find: (taskId) => tasks.find((task) => task.task_id === taskId),
    all: () => [...tasks],
    idle: () => worker,
  };
}

/** The body of `GET /api/tasks/`: a plain list up to API version 9, pages of another shape from 10 on. */
export function describeTasks(
  tasks: readonly Task[],
  apiVersion: number,
  version: DmsVersion,
): unknown {
  if (apiVersion < 10) return tasks.map((task) => describeOld(task, version));
  const results = tasks.map(describeNew);
  return { count: results.length, next: null, previous: null, results };
}

function describeOld(task: Task, version: DmsVersion): unknown {
  const id = task.document?.id ?? null;
  const common = {
    id: task.id,
    task_id: task.task_id,
    task_name: 'consume_file',
    task_file_name: task.filename,
    date_created: task.created,
    date_done: task.done ?? null,
    status: task.status,
    result: task.result ?? null,
    acknowledged: false,
    owner: task.owner,
  };
  if (version === '3.0') {
    return { ...common, type: 'manual_task', related_document: id, duplicate_documents: [] };
  }
  return { ...common, type: 'auto_task', related_document: id === null ? null : String(id) };
}

function describeNew(task: Task): unknown {
  const failed = task.status === 'FAILURE';
  const failure = { error_type: 'ConsumerError', error_message: task.result, traceback: '' };
  const success = task.document === undefined ? null : { document_id: task.document.id };
  return {
    id: task.id,
    task_id: task.task_id,
    task_type: 'consume_file',
    trigger_source: 'api_upload',
    status: task.status.toLowerCase(),
    date_created: task.created,
    date_done: task.done ?? null,
    input_data: { filename: task.filename, mime_type: 'application/pdf', overrides: {} },
    result_data: failed ? failure : success,
    related_document_ids: task.document === undefined ? [] : [task.document.id],
    acknowledged: false,
    owner: task.owner,
  };
}
