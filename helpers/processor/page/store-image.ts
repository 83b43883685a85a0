import { warning } from '../../warnings.ts';
import Joi from 'joi';
import path from 'node:path';
import { encodeJbig2 } from './jbig2.ts';
import { attempt, contextFor, type PageState, type PageWork } from './page-work.ts';
import type { PageImage } from './plain-tiff.ts';

/** The `optimize` level that separates text and paper into layers. */
const LAYERED_LEVEL = 3;

/** JPEG files with the colours of ink and paper. The ink's shape is a bilevel mask. */
export interface Layers {
  readonly ink: string;
  readonly paper: string;
}

export interface StoredImage {
  /** The whole page, or the mask of the layers. */
  readonly tiff: string;
  /** JBIG2 stream of a bilevel image; null to compress otherwise. */
  readonly jbig2: string | null;
  readonly layers: Layers | null;
}

const binarizedSchema = Joi.object<object, true>({});
const separatedSchema = Joi.object<{ layered: boolean }, true>({
  layered: Joi.boolean().required(),
});

/** If the conversion fails, adds a warning. */
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

/** Separates text into layers (level 3 only). Compresses bilevel images if jbig2 is installed. */
export async function storeImage({ image }: PageState, work: PageWork): Promise<StoredImage> {
  const layers = image.bilevel ? null : await separate(image, work);
  const tiff = layers?.mask ?? image.file;
  const bilevel = image.bilevel || layers !== null;
  const encode = bilevel && work.parts.jbig2;
  const jbig2 = encode ? await encodeJbig2(tiff, contextFor(image, work, 'imageJob')) : null;
  return { tiff, jbig2, layers: layers && { ink: layers.ink, paper: layers.paper } };
}

/** Null if the page is stored as one image. */
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
