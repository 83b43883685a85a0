import { namesDuplex, namesFeeder } from '../../helpers/scanner-words.ts';
import type { Profile } from './profile.ts';
import { settingsOf, type ShownSettings } from './scan-settings.ts';

/**
 * `feeder`, `both_sides` and `receipts` (one document per page) use the feeder. `card` has two
 * sides on one page, from the feeder or the glass.
 */
export type ProfileKind = 'feeder' | 'both_sides' | 'glass' | 'receipts' | 'card';

export interface ProfileSummary extends Pick<
  Profile,
  'name' | 'description' | 'mode' | 'resolution'
> {
  readonly label: Profile['label'] | null;
  readonly kind: ProfileKind;
  /** The settings of a scan if the caller chooses none. */
  readonly settings: ShownSettings;
  readonly icon: string | null;
  /** The web address of each destination, in delivery order; null if it has none. */
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

/** A profile without a source uses the scanner's default, which is usually the feeder. */
export function kindOf({
  source,
  sides,
  assembly,
}: Pick<Profile, 'source' | 'sides' | 'assembly'>): ProfileKind {
  if (assembly.page_grouping === 'card') return 'card';
  if (source !== undefined && !namesFeeder(source)) return 'glass';
  if (assembly.page_grouping === 'per_page') return 'receipts';
  const isDuplexSource = source !== undefined && namesDuplex(source);
  return sides === 'both' || (sides === undefined && isDuplexSource) ? 'both_sides' : 'feeder';
}

/** Shipped profiles that the last self-test found not to fit the connected scanner. */
export interface ProfileMismatches {
  /** Records a test result. `reason` is undefined if the profile fits. */
  readonly note: (name: string, reason: string | undefined) => void;
  /** Returns undefined for a profile that fits or was not tested. */
  readonly reason: (name: string) => string | undefined;
}

export function createProfileMismatches(): ProfileMismatches {
  const reasons = new Map<string, string>();
  return {
    note: (name, reason) => {
      if (reason === undefined) reasons.delete(name);
      else reasons.set(name, reason);
    },
    reason: (name) => reasons.get(name),
  };
}
