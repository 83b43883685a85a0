import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { WORKER_SCRIPT } from '../../../../helpers/processor/tools/python-worker.ts';

/** Writes a worker.py whose OCRmyPDF does as `body` says, lines of Python; gives its path. */
export async function workerWithOcrmypdf(directory: string, body: string): Promise<string> {
  const script = path.join(directory, 'broken_worker.py');
  const lines = [
    'import os, signal, sys, time',
    `sys.path.insert(0, ${JSON.stringify(path.dirname(WORKER_SCRIPT))})`,
    'import ocrmypdf',
    'def ocr(images, output, **options):',
    ...body.split('\n').map((line) => `    ${line}`),
    'ocrmypdf.ocr = ocr',
    'import worker',
    'worker.serve()',
  ];
  await writeFile(script, `${lines.join('\n')}\n`);
  return script;
}
