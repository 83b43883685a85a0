import {
  createPythonJobs,
  type PythonJobs,
} from '../../../../helpers/processor/tools/python-jobs.ts';
import {
  RECOGNIZER_SCRIPT,
  WORKER_SCRIPT,
} from '../../../../helpers/processor/tools/python-worker.ts';
import { composePage, type ComposeOptions } from '../../../../helpers/processor/page/image-jobs.ts';
import { STILL } from '../../../../helpers/processor/page/motion.ts';
import type { JobContext, Toolbox } from '../../../../helpers/processor/tools/toolbox.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { fakePrograms, REAL_PATH, REPLACEABLE_RECOGNIZER } from './fake-programs.ts';

/** More than any page of a test needs. */
const MEMORY_BYTES = 1024 * 1024 * 1024;

export interface ContextOptions extends Partial<JobContext> {
  /** Programs that go wrong, as for `fakePrograms`. */
  readonly programs?: Readonly<Record<string, string>>;
  /** In place of worker.py. */
  readonly script?: string;
}

/** Does each job in a Python process of its own, which ends with it: nothing has to be closed. */
export function oneShotPython(searchPath: string, script: string = WORKER_SCRIPT): PythonJobs {
  const { log } = capturedLog();
  return {
    run: async (job, context) => {
      const python = createPythonJobs({ searchPath, log, script });
      try {
        return await python.run(job, context);
      } finally {
        await python.close();
      }
    },
    close: () => Promise.resolve(),
  };
}

/** The programs as a processor keeps them, for all tests of a file; `close` ends them. */
export function keptToolbox(): Toolbox & { close(): Promise<void> } {
  const { log } = capturedLog();
  const python = createPythonJobs({ searchPath: REAL_PATH, log, script: WORKER_SCRIPT });
  const recognizers = createPythonJobs({ searchPath: REAL_PATH, log, script: RECOGNIZER_SCRIPT });
  return {
    searchPath: REAL_PATH,
    python,
    recognizers,
    close: async () => void (await Promise.all([python.close(), recognizers.close()])),
  };
}

/** The programs that are found there, with a Tesseract that can be a fake one. */
export function oneShotToolbox(searchPath: string, script?: string): Toolbox {
  return {
    searchPath,
    python: oneShotPython(searchPath, script),
    recognizers: oneShotPython(searchPath, REPLACEABLE_RECOGNIZER),
  };
}

/** Where a job of a test runs. */
export async function jobContext(
  directory: string,
  { programs, script, ...given }: ContextOptions = {},
): Promise<JobContext> {
  const searchPath = programs ? await fakePrograms(directory, programs) : REAL_PATH;
  return {
    toolbox: oneShotToolbox(searchPath, script),
    directory,
    timeoutMs: 30_000,
    memoryBytes: MEMORY_BYTES,
    signal: new AbortController().signal,
    ...given,
  };
}

/** A PDF of an image beside it, without text unless it is given. */
export async function composed(
  given: Partial<ComposeOptions> & { readonly tiff: string },
  context: JobContext,
): Promise<string> {
  const out = given.tiff.replace('.tif', '.pdf');
  const alone = { jbig2: null, layers: null, motion: STILL, text: null };
  const english = { languages: ['eng'], language: null };
  await composePage({ ...alone, ...english, out, dpi: 300, optimize: 1, ...given }, context);
  return out;
}
