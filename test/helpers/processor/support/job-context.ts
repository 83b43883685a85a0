import {
  createPythonJobs,
  type PythonJobs,
} from '../../../../helpers/processor/tools/python-jobs.ts';
import type { JobContext } from '../../../../helpers/processor/tools/toolbox.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { fakePrograms, REAL_PATH } from './fake-programs.ts';

/** More than any page of a test needs. */
const MEMORY_BYTES = 1024 * 1024 * 1024;

export interface ContextOptions extends Partial<JobContext> {
  /** Programs that go wrong, as for `fakePrograms`. */
  readonly programs?: Readonly<Record<string, string>>;
  /** In place of worker.py. */
  readonly script?: string;
}

/** Does each job in a Python process of its own, which ends with it: nothing has to be closed. */
export function oneShotPython(searchPath: string, script?: string): PythonJobs {
  const { log } = capturedLog();
  return {
    run: async (job, context) => {
      const python = createPythonJobs({ searchPath, log, ...(script !== undefined && { script }) });
      try {
        return await python.run(job, context);
      } finally {
        await python.close();
      }
    },
    close: () => Promise.resolve(),
  };
}

/** Where a job of a test runs. */
export async function jobContext(
  directory: string,
  { programs, script, ...given }: ContextOptions = {},
): Promise<JobContext> {
  const searchPath = programs ? await fakePrograms(directory, programs) : REAL_PATH;
  return {
    toolbox: { searchPath, python: oneShotPython(searchPath, script) },
    directory,
    timeoutMs: 30_000,
    memoryBytes: MEMORY_BYTES,
    signal: new AbortController().signal,
    ...given,
  };
}
