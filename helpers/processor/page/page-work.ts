import type { Log } from '../../log.ts';
import { Failure } from '../../failure.ts';
import type { PageOptions } from '../../processor-contract.ts';
import type { Motion } from './motion.ts';
import type { PageImage } from './plain-tiff.ts';
import type { CodeReader } from '../codes/code-reader.ts';
import { scaled, type TimeLimits } from '../tools/time-limits.ts';
import type { JobContext, Toolbox } from '../tools/toolbox.ts';

/** One page to be recognised. */
export interface PageJob {
  /** The page as it was scanned. */
  readonly tiff: string;
  /** Private directory of the request. */
  readonly directory: string;
  readonly options: Required<PageOptions>;
  /** Address space that each program may use for it, in bytes. */
  readonly memoryBytes: number;
  readonly signal: AbortSignal;
}

/** What the work on every page needs. */
export interface PageParts {
  readonly toolbox: Toolbox;
  readonly codes: CodeReader;
  /** Whether there is an encoder for JBIG2. */
  readonly jbig2: boolean;
  readonly limits: TimeLimits;
  readonly log: Log;
}

export interface PageWork {
  readonly job: PageJob;
  readonly parts: PageParts;
}

/** A page on its way: the image as it is now, what was done to it, and what has to be said about it. */
export interface PageState {
  readonly image: PageImage;
  /** How the places of the page as it was opened become those of this image. */
  readonly motion: Motion;
  /** Clockwise, in degrees. */
  readonly turned: number;
  /** Whether it was cut to its paper; null where that was not asked for. */
  readonly cropped: boolean | null;
  readonly warnings: readonly string[];
}

/** Where and how long a program may work on an image; `limit` is for a usual page. */
export function contextFor(
  image: { readonly width: number; readonly height: number },
  { job, parts }: PageWork,
  limit: 'recognition' | 'imageJob',
): JobContext {
  return {
    toolbox: parts.toolbox,
    directory: job.directory,
    memoryBytes: job.memoryBytes,
    signal: job.signal,
    timeoutMs: scaled(parts.limits[limit], image),
  };
}

/**
 * Improves a page. An attempt that fails leaves the page as it was, with a warning: nothing that makes a page nicer may cost
 * it. Failures and cancellation pass.
 */
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
