import { warning } from '../../../helpers/warnings.ts';
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
 * The document itself is found by its checksum, MD5 in Paperless-ngx 2 and SHA-256 in 3, and by its file name, which no other upload
 * has; its task by that name. After an unknown outcome a task shows that the upload arrived, unless it failed; after a submitted one only a
 * task that is being worked on keeps the document from being sent.
 */
export async function findUpload(
  access: DmsAccess,
  document: DocumentFile,
  doubt: Doubt,
): Promise<FoundUpload | undefined> {
  const { name } = access.endpoint;
  const filename = safeFileName(document.filename);
  const task = await newestTask(access, filename);
  if (doubt === 'unknown' && task && task.status !== 'FAILURE') {
    return { kind: 'accepted', taskId: task.id };
  }
  const checksums = [document.sha256, await md5Of(document.path)];
  const id = await documentWith(access, { filename, checksums });
  if (id !== undefined) {
    return {
      kind: 'there',
      why: warning('already_there', { system: name, id }),
    };
  }
  if (task?.status !== 'STARTED') return undefined;
  return { kind: 'there', why: warning('being_filed', { system: name }) };
}

/** The same bytes may have come with another scan; the file name says which. */
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
