import { DEFAULT_PROFILE } from '../profiles/schema.ts';
import { FIRST_LINE_TITLE } from '../profiles/title-template.ts';
import type { SourceDescription } from '../scanner/scanner-list.ts';
import type { ChosenScanner } from '../settings/settings.ts';
import { GLASS_LABEL, profileText } from './profile-text.ts';
import { modeChoice, paperChoice, resolutionChoice, FALLBACK_OFFER } from './scan-settings.ts';

/**
 * The default profile for a scanner without a feeder. Scanner, languages and destination come from
 * the settings.
 */
export function glassProfile(source: SourceDescription | undefined): string {
  const offer = {
    ...FALLBACK_OFFER,
    ...(source && { modes: source.modes, resolutions: source.resolutions }),
    max_page: source?.max_page ?? undefined,
  };
  const { suggestion: paper, sizes } = paperChoice(offer, undefined);
  return profileText({
    name: DEFAULT_PROFILE,
    label: GLASS_LABEL,
    source: source?.source ?? undefined,
    mode: modeChoice(offer, undefined).suggestion,
    resolution: Number(resolutionChoice(offer, undefined).suggestion),
    page_size: paper === undefined ? undefined : sizes.get(paper),
    processing: { deskew: true },
    title: FIRST_LINE_TITLE,
    destinations: [{ kind: 'dms' }],
  });
}

/** True for a scanner that needs `glassProfile`. */
export function hasOnlyGlass({ kinds }: Pick<ChosenScanner, 'kinds'>): boolean {
  return kinds.length > 0 && kinds.every((kind) => kind === 'glass');
}
