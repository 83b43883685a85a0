import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { askDms, type DmsAccess } from '../ask-dms.ts';
import type { DocumentFile } from '../destination.ts';
import { safeFileName } from './file-name.ts';

/** Fields are undefined if nothing was found or the system did not answer. */
export interface Finding {
  readonly documentId: number | undefined;
  /** The newest task that was not dropped. If all were dropped, the newest. */
  readonly task: FoundTask | undefined;
}

export interface FoundTask {
  readonly id: string;
  /** `dropped`: failed, revoked, or dismissed before its end. Queued tasks are `under_way`. */
  readonly state: 'under_way' | 'succeeded' | 'dropped';
}

export interface SoughtUpload {
  readonly taskId?: string | undefined;
  /** Tasks of uploads to other destinations, which may be accounts on the same system. */
  readonly otherTasks?: readonly string[];
}

/**
 * Looks for a document that may have arrived: by file name and checksum (MD5 in Paperless-ngx 2,
 * SHA-256 in 3), or by its task.
 */
export async function findUpload(
  access: DmsAccess,
  document: DocumentFile,
  { taskId, otherTasks = [] }: SoughtUpload = {},
): Promise<Finding> {
  const filename = safeFileName(document.filename);
  const known = taskId === undefined ? [] : await tasksOf(access, filename, `?task_id=${taskId}`);
  const tasks = known.length > 0 ? known : await tasksOf(access, filename);
  const own = tasks.filter(({ id }) => !otherTasks.includes(id));
  // Searches for the document after its task, which may have ended and stored it in between.
  const { sha256, earlier_sha256: earlier = [] } = document;
  const checksums = [sha256, await md5Of(document.path), ...earlier];
  const documentId = await documentWith(access, { filename, checksums });
  return { documentId, task: own.find(({ state }) => state !== 'dropped') ?? own[0] };
}

/** Another scan may have the same bytes, so the file name must match too. */
async function documentWith(
  access: DmsAccess,
  { filename, checksums }: { readonly filename: string; readonly checksums: readonly string[] },
): Promise<number | undefined> {
  for (const checksum of checksums) {
    const query = `checksum__iexact=${checksum}&fields=id,original_file_name&page_size=100`;
    const answer = await askDms(access, `/api/documents/?${query}`);
    const { results }: { results?: unknown } = Object(answer.kind === 'value' && answer.value);
    const documents: unknown[] = Array.isArray(results) ? results : [];
    for (const document of documents) {
      const { id, original_file_name: name = filename }: Record<string, unknown> = Object(document);
      if (typeof id === 'number' && name === filename) return id;
    }
  }
  return undefined;
}

/** Newest first. Version 9 of the API returns a list, version 10 pages. */
async function tasksOf(access: DmsAccess, filename: string, query = ''): Promise<FoundTask[]> {
  const answer = await askDms(access, `/api/tasks/${query}`);
  if (answer.kind !== 'value') return [];
  const { results = answer.value }: { results?: unknown } = Object(answer.value);
  const tasks: unknown[] = Array.isArray(results) ? results : [];
  return tasks.flatMap((task) => {
    const { task_id, task_file_name, input_data, ...rest }: Record<string, unknown> = Object(task);
    const { filename: name = task_file_name }: { filename?: unknown } = Object(input_data);
    const isOwn = name === filename && typeof task_id === 'string';
    return isOwn ? [{ id: task_id, state: stateOf(rest) }] : [];
  });
}

/** Releases before 3.0 also have the states RECEIVED and RETRY. */
function stateOf({ status, acknowledged }: Record<string, unknown>): FoundTask['state'] {
  const stated = String(status).toUpperCase();
  if (stated === 'SUCCESS') return 'succeeded';
  const isOver = stated === 'FAILURE' || stated === 'REVOKED' || acknowledged === true;
  return isOver ? 'dropped' : 'under_way';
}

async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
