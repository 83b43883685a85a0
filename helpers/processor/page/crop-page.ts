import Joi from 'joi';
import path from 'node:path';
import { contextFor, type PageState, type PageWork } from './page-work.ts';

interface Cut {
  /** Null where there is nothing to cut off, or the paper cannot be told from what is around it. */
  readonly width: number | null;
  readonly height: number | null;
}

const pixels = Joi.number().integer().min(1).allow(null).required();
const cutSchema = Joi.object<Cut, true>({ width: pixels, height: pixels });

/** Cuts a page to its paper, where a dark backing shows where it ends. `cropped` of the page says whether it does. */
export async function cropPage(page: PageState, work: PageWork): Promise<PageState> {
  const { image } = page;
  const file = path.join(work.job.directory, 'cropped.tif');
  const degrees = page.turned - Math.round(page.turned / 90) * 90;
  const job = { job: 'crop', options: { tiff: image.file, out: file, degrees }, schema: cutSchema };
  const context = contextFor(image, work, 'imageJob');
  const { width, height } = await work.parts.toolbox.python.run(job, context);
  if (width === null || height === null) return page;
  return { ...page, image: { ...image, file, width, height }, cropped: true };
}
