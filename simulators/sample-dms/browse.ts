import { readFile } from 'node:fs/promises';
import { jsonAnswer, permissionDenied, type Answer } from './answer.ts';
import { filterItems } from './filters.ts';
import type { Library, StoredDocument } from './library.ts';
import type { SampleObjects } from './objects.ts';
import { may, type Release, type TokenUser } from './options.ts';
import { pageAnswer } from './pagination.ts';
import { describeTasks } from './task-answers.ts';
import type { TaskQueue } from './tasks.ts';

export interface BrowseContext {
  readonly library: Library;
  readonly tasks: TaskQueue;
  readonly release: Release;
  readonly objects: SampleObjects;
}

export interface ApiRequest {
  /** With the address that the client used, for links to other pages of a list. */
  readonly url: URL;
  readonly apiVersion: number;
  readonly user: TokenUser;
}

/** `GET /api/tasks/`: newest first. Only administrators see the tasks of other users. */
export function listTasks(
  { tasks, release }: BrowseContext,
  { url, apiVersion, user }: ApiRequest,
): Answer {
  if (!may(user, 'view_paperlesstask')) return permissionDenied();
  const id = url.searchParams.get('task_id');
  const wanted = tasks
    .all()
    .filter((task) => id === null || task.task_id === id)
    .filter((task) => user.permissions === 'all' || task.owner === user.id)
    .toReversed();
  return describeTasks(wanted, { url, apiVersion, release });
}

/** `GET /api/documents/`: filtered by checksum, title or file name, with the requested `fields`. */
export function listDocuments(
  { library, release }: BrowseContext,
  { url, apiVersion, user }: ApiRequest,
): Answer {
  if (!may(user, 'view_document')) return permissionDenied();
  const documents = library.documents().map((document) => ({
    ...document,
    checksum: document[release.checksum],
    original_filename: document.original_file_name,
  }));
  const texts = ['checksum', 'title', 'original_filename'] as const;
  const found = filterItems(documents, url.searchParams, texts);
  if (found.kind === 'refused') return found.answer;
  const serial = url.searchParams.get('archive_serial_number');
  const items = found.items.filter(
    (one) => serial === null || String(one.archive_serial_number) === serial,
  );
  const wanted = url.searchParams.get('fields')?.split(',');
  const describe = (document: StoredDocument): object => {
    const shown = Object.entries(describeDocument(document));
    return Object.fromEntries(shown.filter(([name]) => wanted?.includes(name) ?? true));
  };
  return pageAnswer(items, url, { apiVersion, describe });
}

export function showDocument({ library }: BrowseContext, { user }: ApiRequest, id: string): Answer {
  if (!may(user, 'view_document')) return permissionDenied();
  const found = library.documents().find((one) => one.id === Number(id));
  if (found !== undefined) return jsonAnswer(200, describeDocument(found));
  return jsonAnswer(404, { detail: 'No Document matches the given query.' });
}

export async function downloadDocument(
  { library }: BrowseContext,
  { user }: ApiRequest,
  id: string,
): Promise<Answer> {
  if (!may(user, 'view_document')) return permissionDenied();
  const found = library.documents().find((one) => one.id === Number(id));
  if (found === undefined) return jsonAnswer(404, { detail: 'Not found.' });
  const disposition = `attachment; filename="${encodeURIComponent(found.title)}.pdf"`;
  return {
    status: 200,
    headers: { 'content-type': 'application/pdf', 'content-disposition': disposition },
    body: await readFile(found.path),
  };
}

function describeDocument(document: StoredDocument): object {
  const fields: unknown = document.custom_fields ?? [];
  return {
    id: document.id,
    correspondent: document.correspondent ?? null,
    document_type: document.document_type ?? null,
    storage_path: document.storage_path ?? null,
    title: document.title,
    tags: document.tags,
    created: document.created,
    added: document.added,
    archive_serial_number: document.archive_serial_number ?? null,
    original_file_name: document.original_file_name,
    custom_fields: Array.isArray(fields)
      ? fields.map((field: unknown) => ({ value: null, field }))
      : Object.entries(Object(fields)).map(([id, value]) => ({ value, field: Number(id) })),
  };
}
