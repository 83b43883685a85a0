import Joi from 'joi';
import type { Sides } from '../../helpers/ipc/messages.ts';
import { oneOf } from '../../helpers/rules.ts';
import { PAGE_SIZES } from '../../helpers/paper.ts';
import { languagesRule } from '../../helpers/processor-contract.ts';
import { optionText } from '../../helpers/scanner-text.ts';
import { assemblyRules, assemblySchema } from './assembly-schema.ts';
import type { Assembly, Processing, Profile } from './profile.ts';
import { pageSize, resolution } from './paper-rules.ts';

/** Settings that a caller may choose for one scan. */
export interface ScanSettings {
  readonly source?: string;
  readonly sides?: Sides;
  readonly mode?: string;
  readonly resolution?: number;
  readonly page_size?: Profile['page_size'];
  readonly page_grouping?: Assembly['page_grouping'];
  readonly remove_blank_pages?: Assembly['remove_blank_pages'];
  readonly languages?: Processing['languages'];
}

/** Settings that a caller may choose when scanning a page again. */
export type PageSettings = Pick<ScanSettings, 'source' | 'resolution'>;

/** Settings for display. Known page sizes have names. */
export interface ShownSettings extends Omit<ScanSettings, 'source' | 'sides' | 'page_size'> {
  /** Null if the scanner chooses. */
  readonly source?: string | null;
  /** Null if the source determines it. */
  readonly sides?: Sides | null;
  readonly page_size?: string | object;
}

export const scanSettingsSchema = Joi.object<ScanSettings>({
  source: optionText,
  sides: oneOf('one', 'both'),
  mode: optionText,
  resolution,
  page_size: pageSize,
  page_grouping: assemblyRules.page_grouping,
  remove_blank_pages: assemblyRules.remove_blank_pages,
  languages: languagesRule,
});

export const pageSettingsSchema = Joi.object<PageSettings>({ source: optionText, resolution });

export function withSettings(profile: Profile, settings: ScanSettings): Profile {
  const { page_grouping, remove_blank_pages, languages, ...paper } = settings;
  const assembly = {
    ...profile.assembly,
    ...(page_grouping && { page_grouping }),
    ...(remove_blank_pages && { remove_blank_pages }),
  };
  return {
    ...profile,
    // The profile's `sides` belong to the profile's source.
    ...(paper.source !== undefined && { sides: undefined }),
    ...paper,
    processing: { ...profile.processing, ...(languages && { languages }) },
    // Adds defaults that the new grouping needs, such as separator codes.
    assembly: Joi.attempt(assembly, assemblySchema),
  };
}

export function settingsOf(profile: Profile): Required<ShownSettings> {
  const { source = null, sides = null, mode, page_size, processing, assembly } = profile;
  return {
    source,
    sides,
    mode,
    resolution: profile.resolution,
    page_size: nameOfSize(page_size),
    page_grouping: assembly.page_grouping,
    remove_blank_pages: assembly.remove_blank_pages,
    languages: processing.languages,
  };
}

export function shownSettings({ page_size, ...others }: ScanSettings): ShownSettings {
  return { ...others, ...(page_size !== undefined && { page_size: nameOfSize(page_size) }) };
}

function nameOfSize(size: Profile['page_size']): string | object {
  if (size === 'auto') return size;
  const { width_mm, height_mm } = size;
  const named = [...PAGE_SIZES].find(
    ([, known]) => known.width_mm === width_mm && known.height_mm === height_mm,
  );
  return named?.[0] ?? size;
}
