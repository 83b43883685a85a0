import Joi from 'joi';
import path from 'node:path';
import { messageOf } from '../../error-code.ts';
import { Failure } from '../../failure.ts';
import { tryTwice } from '../tools/try-twice.ts';
import { contextFor, type PageState, type PageWork } from './page-work.ts';

const pixels = Joi.number().integer().min(1).required();
const cutSchema = Joi.object<{ width: number; height: number }, true>({
  width: pixels,
  height: pixels,
});

/** Cuts out what a person chose, or throws `processing_failed`: the rest must not be filed. */
export async function cutPage(page: PageState, work: PageWork): Promise<PageState> {
  const { cut } = work.job.options;
  if (cut === null) return page;
  const { image } = page;
  const file = path.join(work.job.directory, 'cut.tif');
  const job = { job: 'cut', options: { tiff: image.file, out: file, ...cut }, schema: cutSchema };
  const context = contextFor(image, work, 'imageJob');
  const { python } = work.parts.toolbox;
  try {
    const size = await tryTwice(() => python.run(job, context), work.job.signal);
    return { ...page, image: { ...image, ...size, file } };
  } catch (error) {
    work.job.signal.throwIfAborted();
    if (error instanceof Failure) throw error;
    const what = `The page could not be cropped. Try again (${messageOf(error)}).`;
    throw new Failure('processing_failed', what, { cause: error });
  }
}
