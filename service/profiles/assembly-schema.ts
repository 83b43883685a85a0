import Joi from 'joi';
import { expecting, flag } from '../../helpers/rules.ts';
import type { Assembly, Barcodes } from './profile.ts';

const MAX_CODE_TEXT = 100;
const MAX_SEPARATORS = 10;

/** Rejects commas, because the processor receives these texts as a comma-separated list. */
const codeText = Joi.string()
  .max(MAX_CODE_TEXT)
  .pattern(/^[^\p{Cc},]+$/u)
  .messages(
    expecting(`text of 1 to ${MAX_CODE_TEXT} characters without commas and control characters`),
  );

const barcodes = Joi.object<Barcodes>({
  separator: Joi.array()
    .items(codeText)
    .min(1)
    .max(MAX_SEPARATORS)
    .unique()
    .messages({
      'array.base': `{{#label}} must be a list of 1 to ${MAX_SEPARATORS} different texts`,
      'array.min': `{{#label}} must be a list of 1 to ${MAX_SEPARATORS} different texts`,
      'array.max': `{{#label}} must be a list of 1 to ${MAX_SEPARATORS} different texts`,
      'array.unique': `{{#label}} must be a list of 1 to ${MAX_SEPARATORS} different texts`,
    })
    .default(['PATCHT']),
  asn_prefix: codeText.default('ASN'),
  tag_prefix: codeText.default('TAG:'),
  metadata: flag.default(false),
});

export const assemblyRules = {
  page_grouping: choice('combined', 'per_page', 'per_sheet', 'separator', 'blank_page', 'card'),
  remove_blank_pages: choice('none', 'backs', 'all'),
  backs_order: choice('reverse', 'same'),
  card_paper: choice('a4', 'letter'),
} as const;

/** Codes on the paper are read if `barcodes` is set, or for `page_grouping: separator`. */
export const assemblySchema = Joi.object<Assembly>({
  page_grouping: assemblyRules.page_grouping.default('combined'),
  remove_blank_pages: assemblyRules.remove_blank_pages.default('none'),
  backs_order: assemblyRules.backs_order.default('reverse'),
  card_paper: assemblyRules.card_paper.default('a4'),
  barcodes: Joi.when('page_grouping', {
    is: 'separator',
    // oxlint-disable-next-line unicorn/no-thenable -- it is joi's name
    then: barcodes.default(() => Joi.attempt({}, barcodes)),
    otherwise: barcodes,
  }),
});

function choice(...values: readonly string[]): Joi.StringSchema {
  return Joi.string()
    .valid(...values)
    .messages(expecting(`one of ${values.join(', ')}`));
}
