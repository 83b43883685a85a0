/** Pages that one warning names. */
const MAX_LISTED = 20;

/** The numbers of pages in order, for a warning: "1, 2, 5", and "…" where there are more than twenty. */
export function listed(pages: readonly number[]): string {
  const more = pages.length > MAX_LISTED ? ', …' : '';
  return `${pages
    .toSorted((a, b) => a - b)
    .slice(0, MAX_LISTED)
    .join(', ')}${more}`;
}
