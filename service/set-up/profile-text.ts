import { dump } from 'js-yaml';
import { namesFeeder } from '../../helpers/scanner-words.ts';
import { DEFAULT_PROFILE } from '../profiles/schema.ts';
import type { NameOrId } from './destination-names.ts';
import { fieldsOf, type Fields } from './fields.ts';
import type { ScanSettings } from './scan-settings.ts';

export interface ChosenDestination {
  readonly url: string;
  readonly token: string;
  readonly tags: readonly NameOrId[];
  readonly correspondent: NameOrId | undefined;
}

export interface ProfileAnswers {
  readonly profile: string;
  readonly device: string;
  readonly settings: ScanSettings;
  readonly languages: readonly string[];
  readonly destination: Omit<ChosenDestination, 'token'>;
}

export const GLASS_LABEL: Fields = { en: 'From the glass', de: 'Vom Glas' };

/** Only the default profile needs a label. People have named the others. */
function labelOf({ profile, settings: { source } }: ProfileAnswers): Fields | undefined {
  if (profile !== DEFAULT_PROFILE) return undefined;
  const isGlass = source !== undefined && !namesFeeder(source);
  return isGlass ? GLASS_LABEL : { en: 'Letters', de: 'Briefe' };
}

/** Puts the answers into a profile. Everything else in it stays. */
export function profileFields(answers: ProfileAnswers, earlier: Fields | undefined): Fields {
  const { profile, device, settings, languages, destination } = answers;
  const known = Array.isArray(earlier?.['destinations']) ? earlier['destinations'] : [];
  const [first, ...others] = known;
  const { tags, correspondent } = destination;
  return {
    ...(earlier ?? { name: profile, label: labelOf(answers) }),
    name: profile,
    device,
    source: settings.source,
    sides: settings.sides,
    mode: settings.mode,
    resolution: settings.resolution,
    page_size: settings.page_size,
    processing: earlier
      ? { ...fieldsOf(earlier['processing']), languages }
      : { languages, deskew: true },
    destinations: [
      {
        ...fieldsOf(first),
        kind: 'dms',
        base_url: destination.url,
        // Undefined removes the value that the profile had.
        tags: tags.length > 0 ? tags : undefined,
        correspondent,
      },
      ...others,
    ],
  };
}

export function profileText(fields: Fields): string {
  return `# Written by setup. It is yours to edit: docs/profiles.md explains every field.\n${dump(fields, { skipInvalid: true })}`;
}
