/** Something that takes a while, in the middle of which a case does something else. */
export interface During<T> {
  readonly result: Promise<T>;
  /** Throws when it has ended: whatever the case did came too late. */
  assertRuns(): void;
}

export function during<T>(result: Promise<T>): During<T> {
  let ended = false;
  const end = (): void => {
    ended = true;
  };
  result.then(end, end);
  return {
    result,
    assertRuns: () => {
      if (ended) throw new Error('it had ended before anything was done in its middle');
    },
  };
}
