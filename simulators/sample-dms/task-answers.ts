import { jsonAnswer, type Answer } from './answer.ts';
import type { Release } from './options.ts';
import { pageAnswer } from './pagination.ts';
import type { Task } from './tasks.ts';

/** The response to `GET /api/tasks/`: a plain list up to API version 9, and pages of a different form from version 10. */
export function describeTasks(
  tasks: readonly Task[],
  { url, apiVersion, release }: { url: URL; apiVersion: number; release: Release },
): Answer {
  if (apiVersion >= 10) return pageAnswer(tasks, url, { apiVersion, describe: describeNew });
  const describe = release.newest_api >= 10 ? describeOldOf3 : describeOldOf2;
  return jsonAnswer(200, tasks.map(describe));
}

/** The document that the task created, or the one that its upload duplicates. */
function relatedDocument(task: Task): number | null {
  return task.document?.id ?? task.duplicate_of?.id ?? null;
}

function describeCommon(task: Task): object {
  return {
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
}

function describeOldOf2(task: Task): object {
  const id = relatedDocument(task);
  const related_document = id === null ? null : String(id);
  return { ...describeCommon(task), type: 'auto_task', related_document };
}

function describeOldOf3(task: Task): object {
  const { duplicate_of: twin } = task;
  return {
    ...describeCommon(task),
    ...(twin !== undefined && {
      result: `Not consuming: It is a duplicate of document #${twin.id}`,
    }),
    type: 'manual_task',
    related_document: relatedDocument(task),
    duplicate_documents:
      twin === undefined ? [] : [{ id: twin.id, title: twin.title, deleted_at: null }],
  };
}

function describeNew(task: Task): object {
  const id = relatedDocument(task);
  const status = task.status.toLowerCase();
  return {
    id: task.id,
    task_id: task.task_id,
    task_type: 'consume_file',
    task_type_display: 'Consume File',
    trigger_source: 'api_upload',
    trigger_source_display: 'API Upload',
    status,
    status_display: `${task.status.charAt(0)}${status.slice(1)}`,
    date_created: task.created,
    date_started: task.started ?? null,
    date_done: task.done ?? null,
    duration_seconds: task.done === undefined ? null : 0,
    wait_time_seconds: task.started === undefined ? null : 0,
    input_data: { filename: task.filename, mime_type: task.media_type },
    result_data: describeResult(task),
    related_document_ids: id === null ? [] : [id],
    acknowledged: false,
    owner: task.owner,
  };
}

function describeResult({ status, result, document, duplicate_of: twin }: Task): object | null {
  if (document !== undefined) return { document_id: document.id };
  if (twin !== undefined) return { duplicate_of: twin.id, duplicate_in_trash: false };
  if (status !== 'FAILURE') return null;
  return { error_type: 'ConsumerError', error_message: result, traceback: '' };
}
