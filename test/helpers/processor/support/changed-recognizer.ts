import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { RECOGNIZER_SCRIPT } from '../../../../helpers/processor/tools/python-worker.ts';
import type { PythonJobs } from '../../../../helpers/processor/tools/toolbox.ts';
import { REAL_PATH } from './fake-programs.ts';
import { oneShotPython } from './job-context.ts';

/** recognizer.py with added lines of Python, and with models from `models` if given. */
export async function changedRecognizer(
  directory: string,
  lines: readonly string[],
  models?: string,
): Promise<PythonJobs> {
  const script = path.join(directory, 'changed.py');
  const all = [
    'import os, sys',
    ...(models === undefined ? [] : [`os.environ["TESSDATA_PREFIX"] = ${JSON.stringify(models)}`]),
    `sys.path.insert(0, ${JSON.stringify(path.dirname(RECOGNIZER_SCRIPT))})`,
    'import recognizer',
    'from jobs import named, serve',
    ...lines,
    'serve(named(recognizer.recognize))',
  ];
  await writeFile(script, `${all.join('\n')}\n`);
  return oneShotPython(REAL_PATH, script);
}
