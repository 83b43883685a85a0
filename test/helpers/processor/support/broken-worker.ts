import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { WORKER_SCRIPT } from '../../../../helpers/processor/tools/python-worker.ts';

/** The functions of worker.py that can be replaced. */
export type BrokenPart = 'ocrmypdf.ocr' | "worker.JOBS['assemble']";

/**
 * Writes a worker.py in which one function executes `body`, lines of Python that may call
 * `working`. Returns its path.
 */
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
