import { warning } from '../../warnings.ts';
import path from 'node:path';
import { cutPage } from './cut-page.ts';
import { prepareImage, turnImage } from './image-jobs.ts';
import { STILL } from './motion.ts';
import { contextFor, type PageState, type PageWork } from './page-work.ts';
import { readPageHeader } from './plain-tiff.ts';

const QUARTERS = { 90: 1, 180: 2, 270: 3 } as const;

/**
 * Converts images that are not plain (16 bits, a palette, rotated, several per file). Throws
 * Failure `unreadable_page` if there is no image.
 */
export async function openPage(work: PageWork): Promise<PageState> {
  const { tiff, directory } = work.job;
  const { plain } = await readPageHeader(tiff);
  if (plain)
    return arranged({ image: plain, motion: STILL, turned: 0, cropped: null, warnings: [] }, work);
  const file = path.join(directory, 'plain.tif');
  const { images, ...image } = await prepareImage(
    { tiff, plain: file },
    contextFor({ width: 0, height: 0 }, work, 'imageJob'),
  );
  const warnings = images > 1 ? [warning('several_images', { images })] : [];
  return arranged(
    { image: { ...image, file }, motion: STILL, turned: 0, cropped: null, warnings },
    work,
  );
}

/** Applies `cut`, then `rotate`: a person's choice, or a back that the feeder scans upside down. */
async function arranged(scanned: PageState, work: PageWork): Promise<PageState> {
  const { rotate } = work.job.options;
  const page = await cutPage(scanned, work);
  if (rotate === 0) return page;
  const { image } = page;
  const file = path.join(work.job.directory, 'rotated.tif');
  const size = await turnImage(
    { tiff: image.file, out: file, quarters: QUARTERS[rotate] },
    contextFor(image, work, 'imageJob'),
  );
  return { ...page, image: { ...image, ...size, file }, turned: rotate };
}
