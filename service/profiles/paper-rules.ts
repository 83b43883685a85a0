import Joi from 'joi';
import { PAGE_SIZES } from '../../helpers/paper.ts';
import { expecting, wholeNumber } from '../../helpers/rules.ts';

function millimetres(max: number): Joi.NumberSchema {
  const expected = expecting(`a number of mm from 10 to ${max}`);
  return Joi.number().min(10).max(max).messages(expected).required();
}

/** Converts a size such as `a4` to its width and height. */
export const pageSize = Joi.alternatives(
  Joi.valid('auto'),
  Joi.string().custom(
    (name: string, helpers) => PAGE_SIZES.get(name) ?? helpers.error('page_size.unknown'),
  ),
  Joi.object({ width_mm: millimetres(1000), height_mm: millimetres(5000) }),
).messages(
  expecting(`one of ${[...PAGE_SIZES.keys()].join(', ')}, auto, or width_mm and height_mm in mm`),
);

export const resolution = wholeNumber(50, 2400);
