import Joi from 'joi';
import path from 'node:path';
import { cutOf, inTurn } from './motion.ts';
import { contextFor, type PageState, type PageWork } from './page-work.ts';

interface Cut {
  /** Null where there is nothing to cut off, or the paper cannot be told from what is around it. */
  readonly width: number | null;
  readonly height: number | null;
  readonly left: number | null;
  readonly top: number | null;
}

const pixels = Joi.number().integer().min(1).allow(null).required();
const offset = Joi.number().integer().min(0).allow(null).required();
const cutSchema = Joi.object<Cut, true>({
  width: pixels,
  height: pixels,
  left: offset,
  top: offset,
});

/** Cuts a page to its paper, where a dark backing shows where it ends. `cropped` of the page says whether it does. */
export async function cropPage(page: PageState, work: PageWork): Promise<PageState> {
  const { image } = page;
  const file = path.join(work.job.directory, 'cropped.tif');
  const degrees = page.turned - Math.round(page.turned / 90) * 90;
  const job = { job: 'crop', options: { tiff: image.file, out: file, degrees }, schema: cutSchema };
  const context = contextFor(image, work, 'imageJob');
  const { width, height, left, top } = await work.parts.toolbox.python.run(job, context);
  if (width === null || height === null || left === null || top === null) return page;
  const motion = inTurn(page.motion, cutOf(left, top));
  return { ...page, image: { ...image, file, width, height }, motion, cropped: true };
}
