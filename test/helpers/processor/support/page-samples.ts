import path from 'node:path';
import sharp from 'sharp';
import { createCodeReader } from '../../../../helpers/processor/codes/code-reader.ts';
import type { PageParts, PageWork } from '../../../../helpers/processor/page/page-work.ts';
import { readPageOptions } from '../../../../helpers/processor/http/request-options.ts';
import type { PageOptions } from '../../../../helpers/processor-contract.ts';
import {
  recognizePage,
  type RecognizedPage,
} from '../../../../helpers/processor/page/recognize-page.ts';
import type { PageImage } from '../../../../helpers/processor/page/plain-tiff.ts';
import {
  TIME_LIMITS_MS,
  type TimeLimits,
} from '../../../../helpers/processor/tools/time-limits.ts';
import { capturedLog } from '../../../support/captured-log.ts';
import { shippedPage } from '../../../support/pages.ts';
import { REAL_PATH } from './fake-programs.ts';
import type { Toolbox } from '../../../../helpers/processor/tools/toolbox.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';
import { oneShotToolbox } from './job-context.ts';

const DPI = 300;
const MM_PER_INCH = 25.4;

/** What is made of a shipped page before it is "scanned". */
export interface SampleOptions {
  /** Clockwise, in degrees; only quarters of a circle. */
  readonly turned?: 0 | 90 | 180 | 270;
  /** Only so many pixels from the upper edge: recognising a whole page takes seconds. */
  readonly height?: number;
  readonly bilevel?: boolean;
}

/** Writes a shipped page as a scanner does: an uncompressed TIFF of 300 dpi. */
export async function pageTiff(
  directory: string,
  name: string,
  { turned = 0, height, bilevel = false }: SampleOptions = {},
): Promise<PageImage> {
  const file = path.join(directory, `${name}-${turned}.tif`);
  const source = sharp(shippedPage(name).file).grayscale();
  const { width: all } = await source.metadata();
  const part =
    height === undefined ? source : source.extract({ left: 0, top: 0, width: all, height });
  // Sharp turns before it cuts, in whatever order it is told.
  const upright = await part.png({ compressionLevel: 0 }).toBuffer();
  const pixels = sharp(upright).rotate(turned);
  const perMm = DPI / MM_PER_INCH;
  const size = await (bilevel ? pixels.threshold(128) : pixels)
    .toColourspace('b-w')
    .tiff({
      compression: 'none',
      xres: perMm,
      yres: perMm,
      resolutionUnit: 'inch',
      ...(bilevel && { bitdepth: 1 }),
    })
    .toFile(file);
  return { file, width: size.width, height: size.height, dpi: DPI, bilevel };
}

export interface WorkOptions {
  readonly options?: Partial<PageOptions>;
  readonly searchPath?: string;
  readonly limits?: Partial<TimeLimits>;
  readonly jbig2?: boolean;
  readonly signal?: AbortSignal;
  /** In place of programs that end with each job. */
  readonly toolbox?: Toolbox;
}

const OPTIONS: Required<PageOptions> = {
  ...readPageOptions(new URLSearchParams()),
  rotate_pages: false,
};

/** The work on one page, as the route of pages asks for it. */
export function pageWork(directory: string, tiff: string, given: WorkOptions = {}): PageWork {
  const { options, searchPath = REAL_PATH, limits, jbig2 = false } = given;
  const parts: PageParts = {
    toolbox: given.toolbox ?? oneShotToolbox(searchPath),
    codes: createCodeReader(),
    jbig2,
    limits: { ...TIME_LIMITS_MS, ...limits },
    log: capturedLog().log,
  };
  return {
    job: {
      tiff,
      directory,
      memoryBytes: 1024 * 1024 * 1024,
      options: { ...OPTIONS, ...options },
      signal: given.signal ?? new AbortController().signal,
    },
    parts,
  };
}

/** A directory for pages, and the programs that work on them, which are those of its file: starting them takes longer than most pages. */
export async function pageBench(toolbox: Toolbox): Promise<PageBench> {
  const temporary = await temporaryDirectory();
  const { path: directory } = temporary;
  return {
    directory,
    toolbox,
    workOn: (tiff, given = {}) =>
      pageWork(directory, tiff, given.searchPath === undefined ? { toolbox, ...given } : given),
    close: () => temporary.remove(),
  };
}

export interface PageBench {
  readonly directory: string;
  readonly toolbox: Toolbox;
  /** As `pageWork` in that directory; with programs of its own where a search path is given. */
  readonly workOn: (tiff: string, given?: WorkOptions) => PageWork;
  close(): Promise<void>;
}

/** The PDF of a page and what is said about it; throws for a page that was left out. */
export async function recognized({
  job,
  parts,
}: PageWork): Promise<RecognizedPage & { readonly pdf: string }> {
  const { pdf, ...page } = await recognizePage(job, parts);
  if (pdf === null) throw new Error('the page was left out');
  return { ...page, pdf };
}
