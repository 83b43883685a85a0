import path from 'node:path';
import { prepareImage, turnImage } from './image-jobs.ts';
import { contextFor, type PageState, type PageWork } from './page-work.ts';
import { measureSkew } from './tesseract.ts';

/** Less than this is not seen and does not hurt the recognition; resampling would cost sharpness. In degrees. */
const VISIBLE_SKEW = 0.3;
/** No feeder pulls paper in so askew: something else on the page was measured. In degrees. */
const CREDIBLE_SKEW = 15;

/** Turns a page that was pulled in askew, so that its lines are level. Measured on a small copy, which is exact to 0.1°. */
export async function straighten(page: PageState, work: PageWork): Promise<PageState> {
  const { directory, options } = work.job;
  const small = path.join(directory, 'small.pgm');
  const { image } = page;
  const { small_dpi: dpi } = await prepareImage(
    { tiff: image.file, plain: null, small },
    contextFor(image, work, 'imageJob'),
  );
  const skew = await measureSkew(
    { file: small, dpi },
    options.languages,
    contextFor(image, work, 'skew'),
  );
  if (skew === undefined) throw new Error('Tesseract did not measure the skew');
  if (Math.abs(skew) < VISIBLE_SKEW || Math.abs(skew) > CREDIBLE_SKEW) return page;
  const file = path.join(directory, 'straight.tif');
  await turnImage(
    { tiff: image.file, out: file, quarters: 0, degrees: -skew },
    contextFor(image, work, 'imageJob'),
  );
  return { ...page, image: { ...image, file }, turned: page.turned - skew };
}
