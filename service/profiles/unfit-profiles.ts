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
