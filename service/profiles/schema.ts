import Joi from 'joi';
import { expecting, flag, oneOf, wholeNumber } from '../../helpers/rules.ts';
import { PAGE_SIZES } from '../../helpers/paper.ts';
import { languagesRule, processingRules } from '../../helpers/processor-contract.ts';
import { deviceName, optionText, scannerOptions } from '../../helpers/scanner-text.ts';
import { DEFAULT_TOKEN_SECRET, identityOf, type Destination } from '../paperless/destination.ts';
import { METADATA_RULES } from '../paperless/metadata-schema.ts';
import { assemblySchema } from './assembly-schema.ts';
import { pageSize, resolution } from './paper-rules.ts';
import {
  description,
  icon,
  label,
  outputDirectory,
  plainAddress,
  secretName,
  titleTemplate,
} from './text-rules.ts';
import { DEFAULT_TITLE } from './title-template.ts';
import type { Profile } from './profile.ts';
import { triggerSchema } from './trigger.ts';

/** Names are also file names. */
export const PROFILE_NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;

export const DEFAULT_PROFILE = 'default';

export const EXPECTED_NAME =
  'lower-case letters, digits, _ or -, at most 64 characters, and begin with a letter or digit';

function processing(languages: readonly string[] | undefined): Joi.ObjectSchema {
  return Joi.object({
    ...processingRules,
    ...(languages && { languages: languagesRule.default([...languages]) }),
    low_confidence: wholeNumber(0, 100).default(80),
  });
}

const NO_ADDRESS =
  '{{#label}} is missing: set it, or the variable DMS_URL for all destinations without one';

function destination(dmsUrl: string | undefined): Joi.ObjectSchema<Destination> {
  return Joi.object<Destination>({
    kind: oneOf('dms').required(),
    base_url:
      dmsUrl === undefined
        ? plainAddress.required().messages({ 'any.required': NO_ADDRESS })
        : plainAddress.default(dmsUrl),
    public_url: plainAddress,
    token_secret: secretName.default(DEFAULT_TOKEN_SECRET),
    tags: METADATA_RULES.tags.default([]),
    correspondent: METADATA_RULES.correspondent,
    document_type: METADATA_RULES.document_type,
    storage_path: METADATA_RULES.storage_path,
    create_missing: flag.default(false),
    title: titleTemplate,
  });
}

const MAX_DESTINATIONS = 20;

/** Rejects long lists first, because a file can have 20,000 destinations. */
function destinations(dmsUrl: string | undefined): Joi.Schema {
  return Joi.alternatives()
    .conditional(Joi.array().min(MAX_DESTINATIONS + 1), {
      // oxlint-disable-next-line unicorn/no-thenable -- it is joi's name
      then: Joi.forbidden(),
      otherwise: Joi.array()
        .items(destination(dmsUrl))
        .unique((one: Destination, other: Destination) => identityOf(one) === identityOf(other))
        .messages({
          'array.unique':
            '{{#label}} is the same system and account as an earlier one: list it once, or give it another token_secret',
        }),
    })
    .messages(expecting(`a list of at most ${MAX_DESTINATIONS} destinations; it may be empty: []`))
    .required();
}

export interface ProfileDefaults {
  readonly output_dir: string;
  /** Address of destinations without `base_url`. Without it, each destination needs one. */
  readonly dms_url?: string | undefined;
  /** The scanner of profiles without `device`. Without it, any scanner. */
  readonly device?: string | undefined;
  /** The OCR languages of profiles that name none. Without it, English. */
  readonly languages?: readonly string[] | undefined;
}

/** Rejects unknown keys, and does not convert types. */
export function profileSchema(defaults: ProfileDefaults): Joi.ObjectSchema<Profile> {
  return Joi.object<Profile>({
    name: Joi.string().pattern(PROFILE_NAME).messages(expecting(EXPECTED_NAME)).required(),
    description: description.default(''),
    label,
    icon,
    device: deviceName.default(defaults.device ?? 'auto'),
    source: optionText,
    sides: oneOf('one', 'both'),
    mode: optionText.default('Gray'),
    resolution: resolution.default(300),
    page_size: pageSize.default(PAGE_SIZES.get('a4')),
    max_pages: wholeNumber(1, 1000).default(200),
    scanner_options: scannerOptions.default({}),
    processing: withDefaults(processing(defaults.languages)),
    assembly: withDefaults(assemblySchema),
    title: titleTemplate.default(DEFAULT_TITLE),
    timeout_seconds: Joi.number()
      .min(1)
      .max(86_400)
      .messages(expecting('a number from 1 to 86400'))
      .default(300),
    paths: Joi.object({ output_dir: outputDirectory.required() }).default({
      output_dir: defaults.output_dir,
    }),
    destinations: destinations(defaults.dms_url),
    require_destinations: flag.default(false),
    trigger: triggerSchema,
  })
    .messages({
      'any.required': '{{#label}} is missing',
      'object.base': '{{#label}} must be a mapping of keys to values',
      'object.unknown': '{{#label}} is not a known key',
    })
    .prefs({ abortEarly: false, convert: false });
}

/** Adds the defaults even if the object is missing. */
function withDefaults(schema: Joi.ObjectSchema): Joi.ObjectSchema {
  return schema.default(() => Joi.attempt({}, schema));
}
