import Joi from 'joi';
import path from 'node:path';
import { processingRules } from '../../helpers/processor-contract.ts';
import { DEFAULT_TOKEN_SECRET, type Destination } from '../destinations/destination.ts';
import { endpointOf } from '../destinations/endpoint.ts';
import { deviceName, optionText, scannerOptions } from '../../helpers/scanner-text.ts';
import { titlePlaceholderError } from './title-template.ts';
import type { PageSize, Profile } from './profile.ts';

/** Names that profiles may have. */
const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

/** Paper sizes by name, in mm (ISO 216 and ANSI/ASME Y14.1). */
const PAGE_SIZES: Readonly<Record<string, PageSize>> = {
  a3: { width_mm: 297, height_mm: 420 },
  a4: { width_mm: 210, height_mm: 297 },
  a5: { width_mm: 148, height_mm: 210 },
  a6: { width_mm: 105, height_mm: 148 },
  b5: { width_mm: 176, height_mm: 250 },
  letter: { width_mm: 215.9, height_mm: 279.4 },
  legal: { width_mm: 215.9, height_mm: 355.6 },
};

const PAGE_SIZE_ADVICE = `{{#label}} must be one of ${Object.keys(PAGE_SIZES).join(', ')}, or width_mm and height_mm in mm`;

const pageSize = Joi.alternatives(
  Joi.string().custom(namedPageSize),
  Joi.object({
    width_mm: Joi.number().min(10).max(1000).required(),
    height_mm: Joi.number().min(10).max(5000).required(),
  }),
)
  .messages({ 'alternatives.match': PAGE_SIZE_ADVICE, 'alternatives.types': PAGE_SIZE_ADVICE })
  .default(PAGE_SIZES['a4']);

const processing = Joi.object(processingRules);

const assembly = Joi.object({
  page_grouping: choice(['combined', 'per_page', 'per_sheet'], ['separator', 'blank_page']).default(
    'combined',
  ),
  remove_blank_pages: choice(['none'], ['backs', 'all']).default('none'),
});

const id = Joi.number().integer().min(1).max(2_147_483_647);

/** What servers and proxies take at least, RFC 9110. */
const MAX_URL_CHARACTERS = 8000;

const destination = Joi.object<Destination>({
  kind: Joi.valid('dms').required(),
  base_url: Joi.string().max(MAX_URL_CHARACTERS).custom(plainUrl).required(),
  token_secret: Joi.string()
    .pattern(/^[a-z0-9_]{1,64}$/, 'a-z, 0-9 and _')
    .default(DEFAULT_TOKEN_SECRET),
  tags: Joi.array().items(id).max(100).unique().default([]),
  correspondent: id,
  document_type: id,
  storage_path: id,
});

/**
 * The schema of a profile file. Unknown keys are errors, nothing is converted, and `defaults.output_dir` fills in for a
 * profile that names no directory.
 */
export function profileSchema(defaults: { output_dir: string }): Joi.ObjectSchema<Profile> {
  return Joi.object<Profile>({
    name: Joi.string().pattern(PROFILE_NAME, 'a-z, 0-9, _ and -, at most 64').required(),
    description: Joi.string().max(500).allow('').default(''),
    device: deviceName.default('auto'),
    source: optionText,
    mode: optionText.default('Gray'),
    resolution: Joi.number().integer().min(50).max(2400).default(300),
    page_size: pageSize,
    max_pages: Joi.number().integer().min(1).max(1000).default(200),
    scanner_options: scannerOptions.default({}),
    processing: withDefaults(processing),
    assembly: withDefaults(assembly),
    title: Joi.string().max(200).custom(titleTemplate).default('{profile} {date} {time}'),
    timeout_seconds: Joi.number().min(1).max(86_400).default(300),
    paths: Joi.object({ output_dir: Joi.string().custom(absolutePath).required() }).default({
      output_dir: defaults.output_dir,
    }),
    destinations: Joi.array().items(destination).max(20).required(),
  }).prefs({ abortEarly: false, convert: false });
}

/** An object whose fields have defaults, filled in also when the whole object is left out. */
function withDefaults(schema: Joi.ObjectSchema): Joi.ObjectSchema {
  return schema.default(() => Joi.attempt({}, schema));
}

/** One of `values`; the `unavailable` ones have a meaning that this version lacks, and are refused as such. */
function choice(values: readonly string[], unavailable: readonly string[]): Joi.StringSchema {
  return Joi.string().custom((value: string, helpers) => {
    if (values.includes(value)) return value;
    const there = `there are ${values.join(', ')}`;
    const problem = unavailable.includes(value) ? 'is not available in this version' : 'is unknown';
    return helpers.message({ custom: `{{#label}} ${problem}: ${there}` });
  });
}

function namedPageSize(name: string, helpers: Joi.CustomHelpers): PageSize | Joi.ErrorReport {
  const size = Object.hasOwn(PAGE_SIZES, name) ? PAGE_SIZES[name] : undefined;
  return size ?? helpers.message({ custom: PAGE_SIZE_ADVICE });
}

function titleTemplate(value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  const problem = titlePlaceholderError(value);
  return problem === undefined
    ? value
    : helpers.message({ custom: '{{#label}} {{#problem}}' }, { problem });
}

function absolutePath(value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  if (path.isAbsolute(value)) return value;
  return helpers.message({ custom: '{{#label}} must be an absolute path' });
}

/** Credentials belong into a secret, not into a file that is shown; a query or fragment would be cut off. */
function plainUrl(value: string, helpers: Joi.CustomHelpers): string | Joi.ErrorReport {
  if (endpointOf(value) !== undefined && !value.includes('#')) return value;
  return helpers.message({
    custom:
      '{{#label}} must be an http:// or https:// address without user name, password, query or fragment',
  });
}
