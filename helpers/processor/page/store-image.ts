import { warning } from '../../warnings.ts';
import Joi from 'joi';
import path from 'node:path';
import { encodeJbig2 } from './jbig2.ts';
import { attempt, contextFor, type PageState, type PageWork } from './page-work.ts';
import type { PageImage } from './plain-tiff.ts';

/** The level of optimize that has layers. */
const LAYERED_LEVEL = 3;

/** The colours of a page whose ink is one bit per pixel: JPEG files. */
export interface Layers {
  readonly ink: string;
  readonly paper: string;
}

/** What the PDF of a page is made of. */
export interface StoredImage {
  /** Plain; the mask of the layers, where there are some. */
  readonly tiff: string;
  /** JBIG2 stream of a bilevel image; null to compress it otherwise. */
  readonly jbig2: string | null;
  readonly layers: Layers | null;
}

const binarizedSchema = Joi.object<object, true>({});
const separatedSchema = Joi.object<{ layered: boolean }, true>({
  layered: Joi.boolean().required(),
});

/** The page in black and white, if it is asked for and was not scanned so. A page of which none can be made stays as it is. */
export async function blackAndWhite<State extends PageState>(
  page: State,
  work: PageWork,
): Promise<State> {
  const { image } = page;
  if (!work.job.options.lineart || image.bilevel) return page;
  const run = async (): Promise<State> => {
    const file = path.join(work.job.directory, 'bilevel.tif');
    const options = { tiff: image.file, out: file };
    await python({ job: 'binarize', options, schema: binarizedSchema }, image, work);
    return { ...page, image: { ...image, file, bilevel: true } };
  };
  return attempt(page, work, { warning: warning('not_bilevel', {}), run });
}

/** Prepares the image of a page for its PDF: one bit per pixel as JBIG2, text on plain paper in layers, all else as it is. */
export async function storeImage({ image }: PageState, work: PageWork): Promise<StoredImage> {
  const layers = image.bilevel ? null : await separate(image, work);
  const tiff = layers?.mask ?? image.file;
  const bilevel = image.bilevel || layers !== null;
  const encode = bilevel && work.parts.jbig2;
  const jbig2 = encode ? await encodeJbig2(tiff, contextFor(image, work, 'imageJob')) : null;
  return { tiff, jbig2, layers: layers && { ink: layers.ink, paper: layers.paper } };
}

/** The layers of a page that has them; null where one image shows it better, or is good enough. */
async function separate(
  image: PageImage,
  work: PageWork,
): Promise<(Layers & { mask: string }) | null> {
  const { directory, options, signal } = work.job;
  if (options.optimize !== LAYERED_LEVEL) return null;
  const inside = (name: string): string => path.join(directory, name);
  const layers = { mask: inside('mask.tif'), ink: inside('ink.jpg'), paper: inside('paper.jpg') };
  const job = {
    job: 'separate',
    options: { tiff: image.file, ...layers },
    schema: separatedSchema,
  };
  try {
    return (await python(job, image, work)).layered ? layers : null;
  } catch (error) {
    signal.throwIfAborted();
    work.parts.log.warn({ event: 'page_step_failed', err: error }, 'layers failed');
    return null;
  }
}

function python<Result>(
  job: { job: string; options: object; schema: Joi.ObjectSchema<Result> },
  image: PageImage,
  work: PageWork,
): Promise<Result> {
  return work.parts.toolbox.python.run(job, contextFor(image, work, 'imageJob'));
}
