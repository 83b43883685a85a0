import type { ProfileSummary, ProfileMismatches } from '../profiles/profile-summary.ts';
import { summaryOfProfile } from '../profiles/profile-summary.ts';
import type { Button } from '../profiles/saved/load-buttons.ts';
import { shownSettings } from '../profiles/scan-settings.ts';
import type { ProfileStore } from '../profiles/store.ts';

/**
 * An entry of GET /profiles. If the base profile of a saved button is gone, its fields are null.
 */
interface ListedProfile extends Partial<Record<keyof ProfileSummary, unknown>> {
  readonly name: string;
  readonly usable: boolean;
  readonly reason: string | null;
  readonly saved: boolean;
  readonly based_on: string | null;
  readonly revision: string | null;
  /** The settings that a saved button changes in its base profile. Null for other profiles. */
  readonly own: object | null;
}

/**
 * Sorts profiles by name. Includes saved buttons whose base profile is gone. Leaves out shipped
 * profiles that are `hidden`.
 */
export function listedProfiles(
  profiles: Pick<ProfileStore, 'list' | 'buttons' | 'isShipped'>,
  mismatches: Pick<ProfileMismatches, 'reason'>,
  hidden: readonly string[],
): ListedProfile[] {
  const buttons = new Map(profiles.buttons().map((button) => [button.name, button]));
  const isHidden = (name: string): boolean => hidden.includes(name) && profiles.isShipped(name);
  const shown = profiles.list().filter(({ name }) => !isHidden(name));
  const loaded = shown.map((profile) => {
    const button = buttons.get(profile.name);
    const source = button?.saved.based_on ?? profile.name;
    // The operator's own profiles always count as usable. Their mistakes are reported elsewhere.
    const reason = profiles.isShipped(source) ? mismatches.reason(source) : undefined;
    const usable = reason === undefined;
    const summary = { ...summaryOfProfile(profile), usable, reason: reason ?? null };
    return { ...summary, ...(button ? savedFacts(button) : NOT_SAVED) };
  });
  const lost = [...buttons.values()].filter(({ reason }) => reason !== undefined).map(lostEntry);
  if (lost.length === 0) return loaded;
  return [...loaded, ...lost].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

const NOT_SAVED = { saved: false, based_on: null, revision: null, own: null };

type SavedFacts = Pick<ListedProfile, keyof typeof NOT_SAVED>;

function savedFacts({ saved, revision }: Button): SavedFacts {
  const { based_on, settings, ...others } = saved;
  const own = { ...others, ...(settings && { settings: shownSettings(settings) }) };
  return { saved: true, based_on, revision, own };
}

function lostEntry(button: Button): ListedProfile {
  const { name, saved, reason = null } = button;
  const { label, icon = null, description = '' } = saved;
  const unknown = { kind: null, mode: null, resolution: null, settings: null, public_urls: [] };
  const entry = { name, label, icon, description, ...unknown, usable: false, reason };
  return { ...entry, ...savedFacts(button) };
}
