import Joi from 'joi';
import { flag, oneOf } from '../../helpers/rules.ts';
import type { DocumentMetadata } from '../paperless/destination.ts';
import { METADATA_RULES } from '../paperless/metadata-schema.ts';
import type { Assembly, Processing, Profile } from './profile.ts';
import { scanSettingsSchema, type ScanSettings } from './scan-settings.ts';
import { description, icon, label, titleTemplate } from './text-rules.ts';
import { triggerSchema } from './trigger.ts';

/**
 * The keys of a profile file that Settings can change. No device, path, address or secret: scanner,
 * output directory and Paperless-ngx are those of the appliance.
 */
export interface FormProfile extends Pick<
  ScanSettings,
  'source' | 'sides' | 'mode' | 'resolution'
> {
  readonly label: NonNullable<Profile['label']>;
  readonly icon?: string;
  readonly description?: string;
  /** As in the file: a name such as `a4`, or width and height. */
  readonly page_size?: string | object;
  readonly processing?: Partial<Pick<Processing, 'languages'>>;
  readonly assembly?: Partial<Pick<Assembly, 'page_grouping' | 'remove_blank_pages'>>;
  readonly title?: string;
  /** Paperless-ngx, or none: documents then stay in the output directory. */
  readonly destinations: readonly FormDestination[];
  readonly trigger?: Profile['trigger'];
}

interface FormDestination extends Pick<
  DocumentMetadata,
  'tags' | 'correspondent' | 'document_type' | 'storage_path'
> {
  readonly kind: 'dms';
  readonly create_missing?: boolean;
}

const rule = (name: keyof ScanSettings): Joi.Schema => scanSettingsSchema.extract(name);

const destination = Joi.object<FormDestination>({
  kind: oneOf('dms').required(),
  tags: METADATA_RULES.tags,
  correspondent: METADATA_RULES.correspondent,
  document_type: METADATA_RULES.document_type,
  storage_path: METADATA_RULES.storage_path,
  create_missing: flag,
});

/** Has the rules and messages of profile files. */
export const formProfileSchema = Joi.object<FormProfile>({
  label: label.required(),
  icon,
  description,
  source: rule('source'),
  sides: rule('sides'),
  mode: rule('mode'),
  resolution: rule('resolution'),
  page_size: rule('page_size'),
  processing: Joi.object({ languages: rule('languages') }),
  assembly: Joi.object({
    page_grouping: rule('page_grouping'),
    remove_blank_pages: rule('remove_blank_pages'),
  }),
  title: titleTemplate,
  destinations: Joi.array()
    .ordered(destination)
    .required()
    // Not `array.max`, which would also be the message for too many tags.
    .messages({
      'array.orderedLength': '{{#label}} must have Paperless-ngx once, or be empty: []',
    }),
  trigger: triggerSchema,
});
