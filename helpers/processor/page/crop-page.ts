import Joi from 'joi';
import path from 'node:path';
import { back, cutOf, inTurn } from './motion.ts';
import type { PageImage } from './plain-tiff.ts';
import { straighten } from './straighten.ts';
import { contextFor, type PageState, type PageWork } from './page-work.ts';

interface Cut {
  /** Width, height, left and top are null if no backing is found. */
  readonly width: number | null;
  readonly height: number | null;
  readonly left: number | null;
  readonly top: number | null;
  /** Skew of the paper's edges, in degrees clockwise. Null if they are not straight. */
  readonly skew: number | null;
}

const pixels = Joi.number().integer().min(1).allow(null).required();
const offset = Joi.number().integer().min(0).allow(null).required();
const cutSchema = Joi.object<Cut, true>({
  width: pixels,
  height: pixels,
  left: offset,
  top: offset,
  skew: Joi.number().allow(null).required(),
});

export interface ToCut {
  /** The page before straightening. */
  readonly opened: PageImage;
  /** Straighten by the paper's edges, since the print shows no skew. */
  readonly byEdges: boolean;
}

export async function cropPage(page: PageState, given: ToCut, work: PageWork): Promise<PageState> {
  const { image } = page;
  const file = path.join(work.job.directory, 'cropped.tif');
  const { width: across, height: down } = given.opened;
  const scanned = { way: back(page.motion), width: across, height: down };
  const job = { job: 'crop', options: { tiff: image.file, out: file, scanned }, schema: cutSchema };
  const context = contextFor(image, work, 'imageJob');
  const { width, height, left, top, skew } = await work.parts.toolbox.python.run(job, context);
  if (width === null || height === null || left === null || top === null) return page;
  const straight = given.byEdges && skew !== null ? await straighten(page, skew, work) : page;
  if (straight !== page) return cropPage(straight, { ...given, byEdges: false }, work);
  const motion = inTurn(page.motion, cutOf(left, top));
  return { ...page, image: { ...image, file, width, height }, motion, cropped: true };
}
