import got from 'got';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { textOfPdf } from '../support/pages.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';
import { secret, until, type Appliance, type Destination } from './appliance.ts';

const FILED_MS = 180_000;
const ANSWER_MS = 30_000;

export interface Dms {
  /** Waits until the DMS has filed the document. Returns its text by page. */
  textOf(entry: Destination): Promise<string[]>;
  count(): Promise<number>;
}

interface Task {
  readonly status: string;
  readonly related_document: number | string | null;
  readonly result?: string;
}

export async function openDms(appliance: Appliance, which: 'dms' | 'archive'): Promise<Dms> {
  const name = which === 'dms' ? 'dms_api_token' : 'archive_token';
  const client = got.extend({
    prefixUrl: `http://127.0.0.1:${appliance.facts.ports[which]}/api/`,
    headers: {
      Authorization: `Token ${await secret(appliance, name)}`,
      Accept: 'application/json; version=9',
    },
    timeout: { request: ANSWER_MS },
    retry: { limit: 0 },
  });
  const filed = async (taskId: string): Promise<number> => {
    let document: number | undefined;
    await until(FILED_MS, `task ${taskId}`, async () => {
      const [task] = await client
        .get('tasks/', { searchParams: { task_id: taskId } })
        .json<Task[]>();
      if (task?.status === 'FAILURE') throw new Error(`the DMS refused it: ${task.result}`);
      if (task?.status === 'SUCCESS') document = Number(task.related_document);
      return document !== undefined;
    });
    return document ?? 0;
  };
  return {
    textOf: async ({ task_id }) => {
      if (task_id === undefined) throw new Error('the entry has no task_id');
      const id = await filed(task_id);
      const url = `documents/${id}/download/`;
      return textOf(await client.get(url, { searchParams: { original: 'true' } }).buffer());
    },
    count: async () => (await client.get('documents/').json<{ count: number }>()).count,
  };
}

async function textOf(pdf: Uint8Array): Promise<string[]> {
  const directory = await temporaryDirectory();
  try {
    const file = path.join(directory.path, 'document.pdf');
    await writeFile(file, pdf);
    return await textOfPdf(file);
  } finally {
    await directory.remove();
  }
}
