import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { WORKER_SCRIPT } from '../../../../helpers/processor/tools/python-worker.ts';

export type BrokenPart = 'ocrmypdf.ocr' | "worker.JOBS['assemble']";

/** A worker.py in which one function executes `body`: Python that may call `working`. */
export async function brokenWorker(
  directory: string,
  part: BrokenPart,
  body: string,
): Promise<string> {
  const script = path.join(directory, 'broken_worker.py');
  const lines = [
    'import os, signal, sys, time',
    `sys.path.insert(0, ${JSON.stringify(path.dirname(WORKER_SCRIPT))})`,
    'import ocrmypdf, worker',
    `working = ${part}`,
    'def broken(*given, **options):',
    ...body.split('\n').map((line) => `    ${line}`),
    `${part} = broken`,
    'worker.serve(worker.JOBS)',
  ];
  await writeFile(script, `${lines.join('\n')}\n`);
  return script;
}
