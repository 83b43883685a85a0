import Joi from 'joi';
import { expecting } from './rules.ts';

/**
 * A rectangle in fractions of the page's width and height, rotated about its centre by `angle`:
 * degrees clockwise, measured on paper.
 */
export interface Crop {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly angle: number;
}

/** In degrees clockwise. */
export type QuarterTurn = 0 | 90 | 180 | 270;

const SMALLEST_SIDE = 0.02;
const LARGEST_ANGLE = 45;
/**
 * Values are rounded to 1/STEPS, to hide floating-point errors: a hundredth of a pixel on a large
 * page.
 */
const STEPS = 1e6;

const place = Joi.number().min(0).max(1).required().messages(expecting('a number from 0 to 1'));
const side = Joi.number()
  .min(SMALLEST_SIDE)
  .max(1)
  .required()
  .messages(expecting(`a number from ${SMALLEST_SIDE} to 1`));

/** Validates and rounds a crop. It must lie on the page before rotation by `angle`. */
export const cropRule = Joi.object<Crop>({
  x: place,
  y: place,
  width: side,
  height: side,
  angle: Joi.number()
    .min(-LARGEST_ANGLE)
    .max(LARGEST_ANGLE)
    .default(0)
    .messages(expecting(`a number of degrees from -${LARGEST_ANGLE} to ${LARGEST_ANGLE}`)),
}).custom((crop: Crop, helpers) => {
  const { x, y, width, height } = crop;
  if (rounded(x + width) <= 1 && rounded(y + height) <= 1) return roundedCrop(crop);
  const custom = '{{#label}} must lie on the page: x + width and y + height are at most 1';
  return helpers.message({ custom });
});

export function turnedCrop(crop: Crop, turn: QuarterTurn): Crop {
  const { x, y, width, height, angle } = crop;
  const [right, bottom] = [1 - x - width, 1 - y - height];
  const sideways = { width: height, height: width, angle };
  switch (turn) {
    case 0:
      return roundedCrop(crop);
    case 90:
      return roundedCrop({ x: bottom, y: x, ...sideways });
    case 180:
      return roundedCrop({ x: right, y: bottom, width, height, angle });
    case 270:
      return roundedCrop({ x: y, y: right, ...sideways });
  }
}

export function quarterTurn(degrees: number): QuarterTurn {
  const quarters = Math.round(degrees / 90);
  return ([0, 90, 180, 270] as const)[((quarters % 4) + 4) % 4] ?? 0;
}

function roundedCrop({ x, y, width, height, angle }: Crop): Crop {
  const [left, top] = [Math.max(0, rounded(x)), Math.max(0, rounded(y))];
  return {
    x: left,
    y: top,
    width: Math.min(rounded(width), rounded(1 - left)),
    height: Math.min(rounded(height), rounded(1 - top)),
    angle: rounded(angle),
  };
}

/** Avoids minus zero. */
function rounded(value: number): number {
  return Math.round(value * STEPS) / STEPS + 0;
}
