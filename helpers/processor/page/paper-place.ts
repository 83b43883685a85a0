import Joi from 'joi';
import { cropRule, quarterTurn, turnedCrop, type Crop } from '../../page-crop.ts';
import { back, moved } from './motion.ts';
import { contextFor, type PageState, type PageWork } from './page-work.ts';
import type { PageImage } from './plain-tiff.ts';

const number = Joi.number().required();
const foundSchema = Joi.object<{ place: Crop | null }, true>({
  place: Joi.object({ x: number, y: number, width: number, height: number, angle: number })
    .allow(null)
    .required(),
});

export interface Looked {
  /** The page before straightening and cropping. */
  readonly opened: PageImage;
  /** Skew of the print, in degrees clockwise. Null if the print shows none. */
  readonly skew: number | null;
}

/** Finds the paper, if requested, as a proposal for cropping. A failure is only logged. */
export async function paperPlace(
  page: PageState,
  { opened, skew }: Looked,
  work: PageWork,
): Promise<Pick<PageState, 'paper'>> {
  const { crop, find_paper, rotate } = work.job.options;
  if (!find_paper) return {};
  try {
    const found = crop ? placeOf(page, opened) : await findPlace(opened, skew, work);
    const place = found && onPage(found);
    return { paper: place && turnedCrop(place, quarterTurn(-rotate)) };
  } catch (error) {
    work.job.signal.throwIfAborted();
    work.parts.log.warn({ event: 'page_step_failed', err: error }, 'finding the paper failed');
    return {};
  }
}

async function findPlace(
  { file: tiff, ...image }: PageImage,
  skew: number | null,
  work: PageWork,
): Promise<Crop | null> {
  const job = { job: 'find_place', options: { tiff, skew }, schema: foundSchema };
  return (await work.parts.toolbox.python.run(job, contextFor(image, work, 'imageJob'))).place;
}

function placeOf({ image, motion, cropped }: PageState, opened: PageImage): Crop | null {
  if (cropped !== true) return null;
  const middle = moved(back(motion), [image.width / 2, image.height / 2]);
  const [width, height] = [image.width / opened.width, image.height / opened.height];
  const [cosine, sine] = motion;
  return {
    x: middle[0] / opened.width - width / 2,
    y: middle[1] / opened.height - height / 2,
    width,
    height,
    angle: (-Math.atan2(sine, cosine) * 180) / Math.PI,
  };
}

/** Clips the rectangle to the page; null if the rest is no valid crop. */
function onPage(place: Crop): Crop | null {
  const [x, y] = [Math.max(0, place.x), Math.max(0, place.y)];
  const width = Math.min(place.x + place.width, 1) - x;
  const height = Math.min(place.y + place.height, 1) - y;
  const { value, error } = cropRule.validate({ x, y, width, height, angle: place.angle });
  return error ? null : value;
}
