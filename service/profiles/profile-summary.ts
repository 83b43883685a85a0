import { namesDuplex, namesFeeder } from '../../helpers/scanner-words.ts';
import type { Profile } from './profile.ts';

/** What lies where: `feeder` and `both_sides` are fed, `glass` is laid, `receipts` are fed and become a document each. */
export type ProfileKind = 'feeder' | 'both_sides' | 'glass' | 'receipts';

/** An entry of GET /profiles: what people choose a profile by. */
export interface ProfileSummary extends Pick<
  Profile,
  'name' | 'description' | 'mode' | 'resolution'
> {
  readonly label: Profile['label'] | null;
  readonly kind: ProfileKind;
}

export function summaryOfProfile(profile: Profile): ProfileSummary {
  const { name, description, label = null, mode, resolution } = profile;
  return { name, label, description, kind: kindOf(profile), mode, resolution };
}

/** A source that is not named is the scanner's own choice: the feeder of a document scanner. */
export function kindOf({ source, assembly }: Pick<Profile, 'source' | 'assembly'>): ProfileKind {
  if (source !== undefined && !namesFeeder(source)) return 'glass';
  if (assembly.page_grouping === 'per_page') return 'receipts';
  return source !== undefined && namesDuplex(source) ? 'both_sides' : 'feeder';
}
