/** Short changes of scans: those of one scan are made one after the other. */
export interface Changes {
  make<Value>(id: string, work: () => Promise<Value>): Promise<Value>;
  /** Settles with the changes of a scan that are asked for by now; undefined where there is none. */
  of(id: string): Promise<void> | undefined;
  /** Settles with all of them. */
  all(): Promise<unknown>;
}

function nothing(): void {}

/** Nothing is changed at first. */
export function createChanges(): Changes {
  const last = new Map<string, Promise<void>>();

  return {
    make: async (id, work) => {
      const change = (last.get(id) ?? Promise.resolve()).then(work);
      const settled = change.then(nothing, nothing);
      last.set(id, settled);
      try {
        return await change;
      } finally {
        // Unless more was asked for meanwhile.
        if (last.get(id) === settled) last.delete(id);
      }
    },
    of: (id) => last.get(id),
    all: () => Promise.all(last.values()),
  };
}
