import { namesDuplex, namesFeeder } from '../../helpers/scanner-words.ts';
import type { Profile } from './profile.ts';
import { settingsOf, type ShownSettings } from './scan-settings.ts';

/** What lies where: `feeder` and `both_sides` are fed, `glass` is laid, `receipts` are fed and become a document each. */
export type ProfileKind = 'feeder' | 'both_sides' | 'glass' | 'receipts';

/** An entry of GET /profiles: what people choose a profile by. */
export interface ProfileSummary extends Pick<
  Profile,
  'name' | 'description' | 'mode' | 'resolution'
> {
  readonly label: Profile['label'] | null;
  readonly kind: ProfileKind;
  /** What a scan is made with that chooses nothing else. */
  readonly settings: ShownSettings;
  readonly icon: string | null;
  /** Where a browser finds each destination, in delivery order; null where the profile does not say. */
  readonly public_urls: readonly (string | null)[];
}

export function summaryOfProfile(profile: Profile): ProfileSummary {
  const { name, description, label = null, icon = null, mode, resolution, destinations } = profile;
  const public_urls = destinations.map(({ public_url }) => public_url ?? null);
  const settings = settingsOf(profile);
  return {
    name,
    label,
    icon,
    description,
    kind: kindOf(profile),
    mode,
    resolution,
    settings,
    public_urls,
  };
}

/** A source that is not named is the scanner's own choice: the feeder of a document scanner. */
export function kindOf({
  source,
  sides,
  assembly,
}: Pick<Profile, 'source' | 'sides' | 'assembly'>): ProfileKind {
  if (source !== undefined && !namesFeeder(source)) return 'glass';
  if (assembly.page_grouping === 'per_page') return 'receipts';
  const isDuplexSource = source !== undefined && namesDuplex(source);
  return sides === 'both' || (sides === undefined && isDuplexSource) ? 'both_sides' : 'feeder';
}

/** Why profiles that come with the product do not fit the scanner that is there, as far as the self-test has found out. */
export interface UnfitProfiles {
  /** Remembers what a look at a profile found: the reason, or that it fits. */
  readonly note: (name: string, reason: string | undefined) => void;
  /** Why that profile cannot be used; undefined where it can, or nothing is known. */
  readonly reason: (name: string) => string | undefined;
}

/** Nothing is known at first; each self-test says it anew. */
export function createUnfitProfiles(): UnfitProfiles {
  const reasons = new Map<string, string>();
  return {
    note: (name, reason) => {
      if (reason === undefined) reasons.delete(name);
      else reasons.set(name, reason);
    },
    reason: (name) => reasons.get(name),
  };
}
