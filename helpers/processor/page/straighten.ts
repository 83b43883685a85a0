import path from 'node:path';
import { turnImage } from './image-jobs.ts';
import { inTurn, turnOf } from './motion.ts';
import { contextFor, type PageState, type PageWork } from './page-work.ts';

/** Less than this is not seen and does not hurt the recognition; resampling would cost sharpness. In degrees. */
const VISIBLE_SKEW = 0.3;
/** Turns a page that was pulled in askew, clockwise by `skew` degrees, so that its lines are level. */
export async function straighten(
  page: PageState,
  skew: number,
  work: PageWork,
): Promise<PageState> {
  if (Math.abs(skew) < VISIBLE_SKEW) return page;
  const { image } = page;
  const file = path.join(work.job.directory, 'straight.tif');
  await turnImage(
    { tiff: image.file, out: file, quarters: 0, degrees: -skew },
    contextFor(image, work, 'imageJob'),
  );
  const motion = inTurn(page.motion, turnOf(-skew, image, image));
  return { ...page, image: { ...image, file }, motion, turned: page.turned - skew };
}
