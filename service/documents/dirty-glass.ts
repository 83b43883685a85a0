import type { RecordedPage, ScanRecord } from '../archive/scan-record.ts';
import { isDuplex } from '../archive/sheets.ts';
import { listed } from './listed-pages.ts';

/** Streaks this near to each other, in mm, are one: dust stays where it is, and the paper slides a little. */
const SAME_PLACE_MM = 1;
/** Places that the warning names. */
const MAX_PLACES = 5;

/** A streak on one page. */
interface Streak {
  readonly page: number;
  readonly mm: number;
}

/** A warning that says where to wipe, if there are streaks at the same place of the same glass on two pages or more. */
export function dirtyGlassWarnings(record: Pick<ScanRecord, 'pages' | 'duplex'>): string[] {
  // Sides that are fed one after the other pass the same glass.
  const glasses = isDuplex(record) ? (['front', 'back'] as const) : [undefined];
  const dirty = glasses.flatMap((side) => {
    const own = record.pages.filter((page) => side === undefined || page.side === side);
    const suffix = side === undefined ? '' : `, ${side} side`;
    return repeated(streaksOf(own)).map((streaks) => ({ streaks, suffix }));
  });
  if (dirty.length === 0) return [];
  const places = dirty.map(({ streaks, suffix }) => {
    const middle = streaks[Math.floor(streaks.length / 2)]?.mm ?? 0;
    return `${Math.round(middle)} mm from the left edge${suffix}`;
  });
  const named = places.slice(0, MAX_PLACES).join('; ');
  const more = places.length > MAX_PLACES ? `; ${places.length - MAX_PLACES} more places` : '';
  const pages = new Set(dirty.flatMap(({ streaks }) => streaks.map(({ page }) => page)));
  return [
    `Pages ${listed([...pages])} have streaks from dirt on the scanner's glass. Wipe the glass: ${named}${more}.`,
  ];
}

function streaksOf(pages: readonly RecordedPage[]): Streak[] {
  return pages.flatMap(({ number: page, recognized }) =>
    (recognized?.facts.streaks ?? []).map((mm) => ({ page, mm })),
  );
}

/** The streaks that are on several pages, by their place, from left to right. */
function repeated(streaks: readonly Streak[]): Streak[][] {
  const places: Streak[][] = [];
  for (const streak of streaks.toSorted((a, b) => a.mm - b.mm)) {
    const last = places.at(-1);
    if (last?.[0] && streak.mm - last[0].mm <= SAME_PLACE_MM) last.push(streak);
    else places.push([streak]);
  }
  return places.filter((place) => new Set(place.map(({ page }) => page)).size > 1);
}
