import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { askDms, type DmsAccess } from '../ask-dms.ts';
import type { DocumentFile } from '../destination.ts';
import { safeFileName } from './file-name.ts';

/** What was known of the upload of a document that a person wants sent again. */
export type Doubt = 'unknown' | 'submitted';

export type FoundUpload =
  /** It arrived: this is its task. */
  | { readonly kind: 'accepted'; readonly taskId: string }
  /** `why` it must not be sent again. */
  | { readonly kind: 'there'; readonly why: string };

/**
 * What a system shows of a document that may be there already; undefined where it should be sent, because the system does not
 * have it or does not say: a person has asked for it, and has looked.
 *
 * The document itself is found by its checksum: MD5 in Paperless-ngx 2, SHA-256 in 3. Its task is found by the file name, which no
 * other upload has. After an unknown outcome a task shows that the upload arrived, unless it failed; after a submitted one only a
 * task that is being worked on keeps the document from being sent.
 */
export async function findUpload(
  access: DmsAccess,
  document: DocumentFile,
  doubt: Doubt,
): Promise<FoundUpload | undefined> {
  const { name } = access.endpoint;
  const task = await newestTask(access, safeFileName(document.filename));
  if (doubt === 'unknown' && task && task.status !== 'FAILURE') {
    return { kind: 'accepted', taskId: task.id };
  }
  const id = await documentWith(access, [document.sha256, await md5Of(document.path)]);
  if (id !== undefined) {
    return {
      kind: 'there',
      why: `${name} has this document as number ${id}: it was not sent again.`,
    };
  }
  if (task?.status !== 'STARTED') return undefined;
  return { kind: 'there', why: `${name} is working on this document: it was not sent again.` };
}

async function documentWith(
  access: DmsAccess,
  checksums: readonly string[],
): Promise<number | undefined> {
  for (const checksum of checksums) {
    const answer = await askDms(access, `/api/documents/?checksum__iexact=${checksum}&fields=id`);
    const { results }: { results?: unknown } = Object(answer.kind === 'value' && answer.value);
    const { id }: { id?: unknown } = Object(Array.isArray(results) ? results[0] : undefined);
    if (typeof id === 'number') return id;
  }
  return undefined;
}

interface Task {
  readonly id: string;
  readonly status: string;
}

/** The list is plain in the version of the API that is asked for, newest first, and may be shown in pages by another one. */
async function newestTask(access: DmsAccess, filename: string): Promise<Task | undefined> {
  const answer = await askDms(access, '/api/tasks/');
  if (answer.kind !== 'value') return undefined;
  const { results = answer.value }: { results?: unknown } = Object(answer.value);
  const tasks: unknown[] = Array.isArray(results) ? results : [];
  for (const task of tasks) {
    const { task_id, status, task_file_name, input_data }: Record<string, unknown> = Object(task);
    const { filename: named = task_file_name }: { filename?: unknown } = Object(input_data);
    if (named === filename && typeof task_id === 'string') {
      return { id: task_id, status: String(status).toUpperCase() };
    }
  }
  return undefined;
}

async function md5Of(path: string): Promise<string> {
  const hash = createHash('md5');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
