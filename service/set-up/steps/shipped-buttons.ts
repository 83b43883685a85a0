import { kindOf, type ProfileKind } from '../../profiles/profile-summary.ts';
import type { Profile } from '../../profiles/profile.ts';
import type { ProfileStore } from '../../profiles/store.ts';
import type { ScannerKind, Settings } from '../../settings/settings.ts';

/** A shipped profile as a button of the page. */
export interface ShippedButton {
  readonly name: string;
  readonly label: Profile['label'] | null;
  readonly kind: ProfileKind;
  /** True if the chosen scanner can do this. Null if none was chosen. */
  readonly fits: boolean | null;
  readonly shown: boolean;
}

/** What a scanner must be able to do for each kind of profile. */
const NEEDS: Readonly<Record<ProfileKind, ScannerKind>> = {
  feeder: 'feeder',
  both_sides: 'both_sides',
  receipts: 'feeder',
  glass: 'glass',
  card: 'glass',
};

export function shippedButtons(
  profiles: Pick<ProfileStore, 'list' | 'isShipped'>,
  { scanner, hidden_profiles: hidden = [] }: Settings,
): ShippedButton[] {
  return profiles
    .list()
    .filter(({ name }) => profiles.isShipped(name))
    .map((profile) => {
      const kind = kindOf(profile);
      return {
        name: profile.name,
        label: profile.label ?? null,
        kind,
        fits: scanner ? scanner.kinds.includes(NEEDS[kind]) : null,
        shown: !hidden.includes(profile.name),
      };
    });
}
