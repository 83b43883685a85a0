import Joi from 'joi';
import path from 'node:path';
import { cutOf, inTurn, turnOf } from './motion.ts';
import { contextFor, type PageState, type PageWork } from './page-work.ts';

/** In degrees. Less skew is invisible, and resampling costs sharpness. */
const VISIBLE_SKEW = 0.3;

/** In pixels, negative if removed. */
interface Growth {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const count = Joi.number().integer().required();
const growthSchema = Joi.object<Growth, true>({
  left: count,
  top: count,
  right: count,
  bottom: count,
});

/**
 * Straightens a page that is askew by `skew` degrees clockwise. The image grows if its corners have
 * content.
 */
export async function straighten(
  page: PageState,
  skew: number,
  work: PageWork,
): Promise<PageState> {
  if (Math.abs(skew) < VISIBLE_SKEW) return page;
  const { image } = page;
  const file = path.join(work.job.directory, 'straight.tif');
  const options = { tiff: image.file, out: file, degrees: -skew };
  const job = { job: 'straighten', options, schema: growthSchema };
  const grown = await work.parts.toolbox.python.run(job, contextFor(image, work, 'imageJob'));
  const width = image.width + grown.left + grown.right;
  const height = image.height + grown.top + grown.bottom;
  const turned = turnOf(-skew, image, image);
  const motion = inTurn(inTurn(page.motion, turned), cutOf(-grown.left, -grown.top));
  return { ...page, image: { ...image, file, width, height }, motion, turned: page.turned - skew };
}
