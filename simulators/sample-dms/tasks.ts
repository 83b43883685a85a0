import { randomUUID } from 'node:crypto';
import type { Fault } from './faults.ts';
import { DuplicateError, type Library, type StoredDocument, type Submission } from './library.ts';

export interface Task {
  readonly id: number;
  readonly task_id: string;
  readonly filename: string;
  readonly media_type: string;
  readonly owner: number;
  readonly created: string;
  status: 'PENDING' | 'STARTED' | 'SUCCESS' | 'FAILURE';
  started: string | undefined;
  done: string | undefined;
  result: string | undefined;
  document: StoredDocument | undefined;
  duplicate_of: StoredDocument | undefined;
}

export interface TaskQueue {
  /** Queues an upload and returns the pending task immediately. */
  readonly add: (submission: Submission, owner: number, fault?: Fault) => Task;
  readonly find: (taskId: string) => Task | undefined;
  readonly all: () => readonly Task[];
  /** Resolves when all tasks queued so far have ended. */
  readonly idle: () => Promise<void>;
}

/** Creates a single worker that runs one task after another and calls `ended` for each. */
export function createTaskQueue(library: Library, ended: (task: Task) => void): TaskQueue {
  const tasks: Task[] = [];
  let worker = Promise.resolve();
  const work = async (task: Task, submission: Submission, fault?: Fault): Promise<void> => {
    task.status = 'STARTED';
    task.started = new Date().toISOString();
    try {
      if (fault?.kind === 'failed_task') throw new Error(fault.reason);
      task.document = await library.consume(submission);
      task.status = 'SUCCESS';
      task.result = `Success. New document id ${task.document.id} created`;
    } catch (error) {
      task.status = 'FAILURE';
      task.result = error instanceof Error ? error.message : 'unknown';
      if (error instanceof DuplicateError) task.duplicate_of = error.twin;
    }
    task.done = new Date().toISOString();
    ended(task);
  };
  return {
    add: (submission, owner, fault) => {
      const task: Task = {
        id: tasks.length + 1,
        task_id: randomUUID(),
        filename: submission.file.filename,
        media_type: submission.mediaType,
        owner,
        created: new Date().toISOString(),
        status: 'PENDING',
        started: undefined,
        done: undefined,
        result: undefined,
        document: undefined,
        duplicate_of: undefined,
      };
      tasks.push(task);
      if (fault?.kind !== 'lost_task') worker = worker.then(() => work(task, submission, fault));
      return task;
    },
    find: (taskId) => tasks.find((task) => task.task_id === taskId),
    all: () => [...tasks],
    idle: () => worker,
  };
}
