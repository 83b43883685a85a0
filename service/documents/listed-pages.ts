/** Pages that one warning names. */
const MAX_LISTED = 20;

/** The numbers of pages in order, for a warning: "1, 2, 5", and how many more there are after the first twenty. */
export function listed(pages: readonly number[]): string {
  const more = pages.length > MAX_LISTED ? ` and ${pages.length - MAX_LISTED} more` : '';
  return `${pages
    .toSorted((a, b) => a - b)
    .slice(0, MAX_LISTED)
    .join(', ')}${more}`;
}
