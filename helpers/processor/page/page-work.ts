import type { Log } from '../../log.ts';
import { Failure } from '../../failure.ts';
import type { PageFacts } from '../../page-facts.ts';
import type { PageOptions } from '../../processor-contract.ts';
import type { AffineMap } from './motion.ts';
import type { PageImage } from './plain-tiff.ts';
import type { CodeReader } from '../codes/code-reader.ts';
import { scaled, type TimeLimits } from '../tools/time-limits.ts';
import type { JobContext, Toolbox } from '../tools/toolbox.ts';

export interface PageJob {
  readonly tiff: string;
  readonly directory: string;
  readonly options: Required<PageOptions>;
  readonly memoryBytes: number;
  readonly signal: AbortSignal;
}

export interface PageParts {
  readonly toolbox: Toolbox;
  readonly codes: CodeReader;
  readonly jbig2: boolean;
  readonly limits: TimeLimits;
  readonly log: Log;
}

export interface PageWork {
  readonly job: PageJob;
  readonly parts: PageParts;
}

/** A page in processing: its current image, how it was made, and warnings. */
export interface PageState {
  readonly image: PageImage;
  /** Maps the opened page to this image. */
  readonly motion: AffineMap;
  /** In degrees clockwise. */
  readonly turned: number;
  /** Null if not requested. */
  readonly cropped: boolean | null;
  readonly paper?: PageFacts['paper'];
  readonly warnings: readonly string[];
}

/** For one step of a page. */
export interface StepContext extends JobContext {
  readonly log: Log;
}

/** `limit` is the time limit for an average page. */
export function contextFor(
  image: { readonly width: number; readonly height: number },
  { job, parts }: PageWork,
  limit: 'recognition' | 'imageJob',
): StepContext {
  return {
    log: parts.log,
    toolbox: parts.toolbox,
    directory: job.directory,
    memoryBytes: job.memoryBytes,
    signal: job.signal,
    timeoutMs: scaled(parts.limits[limit], image),
  };
}

/** If an optional step fails, adds a warning. Rethrows a Failure and the abort reason. */
export async function attempt<State extends PageState>(
  page: State,
  { job, parts }: PageWork,
  step: { readonly warning: string; readonly run: () => Promise<State> },
): Promise<State> {
  try {
    return await step.run();
  } catch (error) {
    job.signal.throwIfAborted();
    if (error instanceof Failure) throw error;
    parts.log.warn({ event: 'page_step_failed', err: error }, step.warning);
    return { ...page, warnings: [...page.warnings, step.warning] };
  }
}
