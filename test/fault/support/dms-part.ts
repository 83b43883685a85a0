import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { createPart, type Part } from '../../support/appliance/part.ts';
import { DMS_TOKEN } from '../../support/appliance/appliance.ts';
import { textOfPdf } from '../../support/pages.ts';
import type { StoredDocument } from '../../../simulators/sample-dms/library.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const PROGRAM = path.relative(ROOT, fileURLToPath(import.meta.resolve('./dms-process.ts')));

/** Time between storing an upload and answering it: long enough for a kill. */
const ANSWER_DELAY_MS = 250;

/** The sample DMS as a process that can be killed. */
export interface DmsPart extends Part {
  readonly url: () => string;
  /** Documents in order of arrival. Waits until accepted ones are stored. */
  documents(): Promise<StoredDocument[]>;
}

/** Prepares a DMS that keeps its port across restarts. */
export function createDmsPart(directory: string): DmsPart {
  const part: Part = createPart('the DMS', PROGRAM, () => ({
    SAMPLE_DMS_TOKEN: DMS_TOKEN,
    STORE_DIR: directory,
    PORT: String(part.port()),
    ANSWER_DELAY_MS: String(ANSWER_DELAY_MS),
  }));
  const url = (): string => `http://127.0.0.1:${part.port()}`;
  return {
    ...part,
    url,
    documents: async () => {
      await untilIdle(url());
      return readStore(path.join(directory, 'documents'));
    },
  };
}

export async function pageCountOf({ path: file }: StoredDocument): Promise<number> {
  // pdftotext ends each page with a form feed.
  return (await textOfPdf(file)).length - 1;
}

async function untilIdle(url: string): Promise<void> {
  const headers = { Authorization: `Token ${DMS_TOKEN}`, Accept: 'application/json; version=9' };
  for (;;) {
    const answer = await fetch(`${url}/api/tasks/`, { headers });
    const tasks = (await answer.json()) as { status: string }[];
    if (tasks.every(({ status }) => status === 'SUCCESS' || status === 'FAILURE')) return;
  }
}

async function readStore(directory: string): Promise<StoredDocument[]> {
  const names = (await readdir(directory)).filter((name) => name.endsWith('.json')).toSorted();
  const texts = names.map((name) => readFile(path.join(directory, name), 'utf8'));
  return (await Promise.all(texts)).map((text) => JSON.parse(text) as StoredDocument);
}
