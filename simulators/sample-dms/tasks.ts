import { randomUUID } from 'node:crypto';
import type { Fault } from './faults.ts';
import type { Library, StoredDocument, Submission } from './library.ts';
import type { Release } from './options.ts';

export interface Task {
  readonly id: number;
  readonly task_id: string;
  readonly filename: string;
  /** The user whose token the upload came with. */
  readonly owner: number;
  status: 'PENDING' | 'RECEIVED' | 'STARTED' | 'RETRY' | 'SUCCESS' | 'FAILURE';
  /** Dismissed by a user. */
  acknowledged: boolean;
  /** Missing in lists. */
  readonly isForgotten: boolean;
  result?: string;
  /** The stored document; a success without one was split. */
  document?: StoredDocument;
}

export interface TaskQueue {
  readonly add: (submission: Submission, owner: number, fault?: Fault) => Task;
  readonly all: () => readonly Task[];
  readonly release: () => void;
  /** Resolves when all queued tasks have ended; held tasks are not queued. */
  readonly idle: () => Promise<void>;
}

/** A single worker, which runs one task after another and calls `ended` for each. */
export function createTaskQueue(library: Library, ended: (task: Task) => void): TaskQueue {
  const tasks: Task[] = [];
  let held: (() => void)[] = [];
  let worker = Promise.resolve();
  const work = async (task: Task, submission: Submission, fault?: Fault): Promise<void> => {
    task.status = 'STARTED';
    try {
      if (fault?.kind === 'failed_task') throw new Error(fault.reason);
      if (fault?.kind === 'split_task') {
        task.result = 'Barcode splitting complete!';
      } else {
        task.document = await library.consume(submission);
        task.result = `Success. New document id ${task.document.id} created`;
      }
      task.status = 'SUCCESS';
    } catch (error) {
      task.status = 'FAILURE';
      task.result = error instanceof Error ? error.message : 'unknown';
    }
    ended(task);
  };
  return {
    add: (submission, owner, fault) => {
      const task: Task = {
        id: tasks.length + 1,
        task_id: randomUUID(),
        filename: submission.file.filename,
        owner,
        status: fault?.kind === 'held_task' ? fault.status : 'PENDING',
        acknowledged: false,
        isForgotten: fault?.kind === 'forgotten_task',
      };
      tasks.push(task);
      const enqueue = (): void => void (worker = worker.then(() => work(task, submission, fault)));
      if (fault?.kind === 'held_task') held.push(enqueue);
      else if (fault?.kind !== 'lost_task' && fault?.kind !== 'forgotten_task') enqueue();
      return task;
    },
    all: () => [...tasks],
    release: () => {
      for (const enqueue of held) enqueue();
      held = [];
    },
    idle: () => worker,
  };
}

/** Up to API version 9 in one format, from version 10 in another. */
export function describeTasks(
  tasks: readonly Task[],
  apiVersion: number,
  { newest_api }: Pick<Release, 'newest_api'>,
): object[] {
  return tasks.map(({ filename, document, status, result = null, isForgotten, ...task }) => {
    if (isForgotten) throw new Error('a forgotten task is in no list');
    if (apiVersion >= 10) {
      const related_document_ids = document === undefined ? [] : [document.id];
      const input_data = { filename, mime_type: 'application/pdf' };
      return { ...task, status: status.toLowerCase(), input_data, related_document_ids };
    }
    // A string before API version 10.
    const related = newest_api < 10 ? document && String(document.id) : document?.id;
    return { ...task, task_file_name: filename, status, result, related_document: related ?? null };
  });
}
