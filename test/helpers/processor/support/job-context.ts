import { createPythonJobs } from '../../../../helpers/processor/tools/python-jobs.ts';
import { WORKER_SCRIPT } from '../../../../helpers/processor/tools/python-worker.ts';
import { composePage, type ComposeOptions } from '../../../../helpers/processor/page/image-jobs.ts';
import { STILL } from '../../../../helpers/processor/page/motion.ts';
import type { StepContext } from '../../../../helpers/processor/page/page-work.ts';
import type {
  JobContext,
  PythonJobs,
  Toolbox,
} from '../../../../helpers/processor/tools/toolbox.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { temporaryDirectory } from '../../../support/suite.ts';
import { fakePrograms, REAL_PATH, realPrograms, REPLACEABLE_RECOGNIZER } from './fake-programs.ts';

const MEMORY_BYTES = 1024 * 1024 * 1024;

/** Runs each job in its own Python process, so there is nothing to close. */
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

export interface KeptToolbox extends Toolbox {
  /** Replaces programs by failing ones, as in `fakePrograms`, until `restore`. */
  replace(programs: Readonly<Record<string, string>>): Promise<void>;
  restore(): Promise<void>;
  readonly logged: () => string;
  close(): Promise<void>;
}

/** Programs shared by all tests of a file: starting them takes longer than most jobs. */
export async function keptToolbox(): Promise<KeptToolbox> {
  const temporary = await temporaryDirectory();
  const searchPath = await fakePrograms(temporary.path, {});
  const { log, text } = capturedLog();
  const python = createPythonJobs({ searchPath, log, script: WORKER_SCRIPT });
  const recognizers = createPythonJobs({ searchPath, log, script: REPLACEABLE_RECOGNIZER });
  return {
    searchPath,
    python,
    recognizers,
    replace: async (programs) => void (await fakePrograms(temporary.path, programs)),
    restore: () => realPrograms(temporary.path),
    logged: text,
    close: async () => {
      await Promise.all([python.close(), recognizers.close()]);
      await temporary.remove();
    },
  };
}

export function toolboxAt(searchPath: string, script?: string): Toolbox {
  return {
    searchPath,
    python: oneShotPython(searchPath, script),
    recognizers: oneShotPython(searchPath, REPLACEABLE_RECOGNIZER),
  };
}

export function jobContext(
  directory: string,
  toolbox: Toolbox = toolboxAt(REAL_PATH),
  given: Partial<StepContext> = {},
): StepContext {
  return {
    log: capturedLog().log,
    toolbox,
    directory,
    timeoutMs: 30_000,
    memoryBytes: MEMORY_BYTES,
    signal: new AbortController().signal,
    ...given,
  };
}

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
