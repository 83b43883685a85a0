import Joi from 'joi';
import { expecting } from '../../../helpers/rules.ts';
import type { DmsDestination, DocumentMetadata } from '../../paperless/destination.ts';
import { METADATA_RULES } from '../../paperless/metadata-schema.ts';
import type { Profile } from '../profile.ts';
import { scanSettingsSchema, withSettings, type ScanSettings } from '../scan-settings.ts';
import { description, icon, label, titleTemplate } from '../text-rules.ts';
import { DEFAULT_TITLE, FIRST_LINE_TITLE } from '../title-template.ts';

type Metadata = Pick<DocumentMetadata, 'tags' | 'correspondent' | 'document_type' | 'storage_path'>;

/**
 * A button saved on the control page: a base profile, with other settings, label and metadata. It
 * cannot change the address, token, path or device.
 */
export interface SavedProfile extends Metadata {
  readonly based_on: string;
  readonly label: NonNullable<Profile['label']>;
  readonly icon?: string;
  readonly description?: string;
  readonly settings?: ScanSettings;
  readonly title?: string;
}

export const savedProfileSchema = Joi.object<SavedProfile>({
  based_on: Joi.string().max(200).messages(expecting('the name of a profile')).required(),
  label: label.required(),
  icon,
  description,
  settings: scanSettingsSchema,
  tags: METADATA_RULES.tags,
  correspondent: METADATA_RULES.correspondent,
  document_type: METADATA_RULES.document_type,
  storage_path: METADATA_RULES.storage_path,
  title: titleTemplate,
});

/** Applies a saved button to its base as it is now. */
export function profileOf(name: string, saved: SavedProfile, base: Profile): Profile {
  const { label: called, settings = {}, title = base.title } = saved;
  return {
    ...withSettings(base, settings),
    name,
    label: called,
    icon: saved.icon ?? base.icon,
    description: saved.description ?? base.description,
    title: title === DEFAULT_TITLE ? FIRST_LINE_TITLE : title,
    destinations: base.destinations.map((one) => withMetadata(one, saved)),
    // The base's trigger does not start its buttons.
    trigger: undefined,
  };
}

function withMetadata(destination: DmsDestination, saved: SavedProfile): DmsDestination {
  const { tags = [], correspondent, document_type, storage_path, title } = saved;
  return {
    ...destination,
    tags: [...new Set([...(destination.tags ?? []), ...tags])],
    ...(correspondent !== undefined && { correspondent }),
    ...(document_type !== undefined && { document_type }),
    ...(storage_path !== undefined && { storage_path }),
    ...(title !== undefined && { title }),
  };
}
