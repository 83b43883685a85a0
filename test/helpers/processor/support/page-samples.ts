import path from 'node:path';
import sharp, { type Sharp } from 'sharp';
import { createCodeReader } from '../../../../helpers/processor/codes/code-reader.ts';
import { STILL } from '../../../../helpers/processor/page/motion.ts';
import type {
  PageParts,
  PageState,
  PageWork,
} from '../../../../helpers/processor/page/page-work.ts';
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
import type { Toolbox } from '../../../../helpers/processor/tools/toolbox.ts';
import { type FixtureTest, withFixture } from '../../../support/suite.ts';
import { keptToolbox, type KeptToolbox } from './job-context.ts';

const DPI = 300;
const MM_PER_INCH = 25.4;

export interface SampleOptions {
  readonly turned?: 0 | 90 | 180 | 270;
  /** Crops to this many pixels from the top: recognizing a whole page takes seconds. */
  readonly height?: number;
  readonly bilevel?: boolean;
}

/** Writes a page image from the repository as a scanner does: uncompressed TIFF at 300 dpi. */
export async function pageTiff(
  directory: string,
  name: string,
  { turned = 0, height, bilevel = false }: SampleOptions = {},
): Promise<PageImage> {
  const source = sharp(shippedPage(name).file).grayscale();
  const { width } = await source.metadata();
  const part = height === undefined ? source : source.extract({ left: 0, top: 0, width, height });
  // Raw pixels first: sharp rotates before it crops, whatever the order of calls.
  const { data, info: raw } = await part.raw().toBuffer({ resolveWithObject: true });
  const file = path.join(directory, `${name}-${turned}.tif`);
  return scanned(file, sharp(data, { raw }).rotate(turned), { mode: bilevel ? 'bits' : 'gray' });
}

/** Writes an uncompressed TIFF, by default gray at 300 dpi. */
export async function scanned(
  file: string,
  image: Sharp,
  { dpi = DPI, mode = 'gray' }: { dpi?: number; mode?: 'bits' | 'gray' | 'colour' } = {},
): Promise<PageImage> {
  const [perMm, bilevel] = [dpi / MM_PER_INCH, mode === 'bits'];
  const resolution = { xres: perMm, yres: perMm, resolutionUnit: 'inch' } as const;
  const { width, height } = await (bilevel ? image.grayscale().threshold(128) : image)
    .removeAlpha()
    .toColourspace(mode === 'colour' ? 'srgb' : 'b-w')
    .tiff({ compression: 'none', ...resolution, ...(bilevel && { bitdepth: 1 }) })
    .toFile(file);
  return { file, width, height, dpi, bilevel };
}

export function drawing(
  [width, height]: readonly [number, number],
  paper: string,
  svg: string,
): Sharp {
  const rect = `<rect width="100%" height="100%" fill="${paper}"/>`;
  return sharp(Buffer.from(`<svg width="${width}" height="${height}">${rect}${svg}</svg>`));
}

/** A wide block of print at the left, and a narrow one at the right. */
export function twoBlocks(): Sharp {
  const block = (left: number, columns: number): string =>
    Array.from({ length: columns * 10 }, (_, at) => {
      const [x, row] = [left + (at % columns) * 36, Math.floor(at / columns)];
      // Rows of one height would be read at a lower resolution.
      return `<rect x="${x}" y="${100 + row * 60}" width="9" height="${row % 2 === 0 ? 18 : 36}"/>`;
    }).join('');
  return drawing([2400, 800], 'white', block(100, 30) + block(1850, 12));
}

export function opened(image: PageImage): PageState {
  return { image, motion: STILL, turned: 0, cropped: null, warnings: [] };
}

export interface WorkOptions {
  readonly options?: Partial<PageOptions>;
  readonly limits?: Partial<TimeLimits>;
  readonly jbig2?: boolean;
  readonly signal?: AbortSignal;
  readonly toolbox: Toolbox;
}

const OPTIONS: Required<PageOptions> = {
  ...readPageOptions(new URLSearchParams()),
  rotate_pages: false,
};

export function pageWork(directory: string, tiff: string, given: WorkOptions): PageWork {
  const { toolbox, options, limits, jbig2 = false } = given;
  const parts: PageParts = {
    toolbox,
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

/** A suite whose tests each get a directory for pages. The programs start once for all tests. */
export async function pageTests(title: string): Promise<FixtureTest<PageBench>> {
  const toolbox = await keptToolbox();
  const test = withFixture<PageBench>(title, (directory) => {
    const workOn: PageBench['workOn'] = (tiff, given) =>
      pageWork(directory, tiff, { toolbox, ...given });
    return Promise.resolve({
      directory,
      toolbox,
      workOn,
      recognize: (tiff, given) => recognized(workOn(tiff, given)),
      close: () => toolbox.restore(),
    });
  });
  test.after(() => toolbox.close());
  return test;
}

export interface PageBench {
  readonly directory: string;
  readonly toolbox: KeptToolbox;
  readonly workOn: (tiff: string, given?: Partial<WorkOptions>) => PageWork;
  readonly recognize: (tiff: string, given?: Partial<WorkOptions>) => Promise<PageWithPdf>;
  close(): Promise<void>;
}

type PageWithPdf = RecognizedPage & { readonly pdf: string };

/** Throws if the page was left out. */
export async function recognized({ job, parts }: PageWork): Promise<PageWithPdf> {
  const { pdf, ...page } = await recognizePage(job, parts);
  if (pdf === null) throw new Error('the page was left out');
  return { ...page, pdf };
}
