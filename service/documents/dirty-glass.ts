import type { RecordedPage, ScanRecord } from '../archive/scan-record.ts';
import { isDuplex } from '../archive/sheets.ts';
import { warning } from '../../helpers/warnings.ts';
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

const GLASSES = { front: 'dirty_front_glass', back: 'dirty_back_glass' } as const;

/** For each glass a warning that says where to wipe, if there are streaks at the same place on two pages or more. */
export function dirtyGlassWarnings(record: Pick<ScanRecord, 'pages' | 'duplex'>): string[] {
  // Sides that are fed one after the other pass the same glass.
  const glasses = isDuplex(record) ? (['front', 'back'] as const) : [undefined];
  return glasses.flatMap((side) => {
    const own = record.pages.filter((page) => side === undefined || page.side === side);
    const dirty = repeated(streaksOf(own));
    if (dirty.length === 0) return [];
    const middles = dirty.map((streaks) =>
      Math.round(streaks[Math.floor(streaks.length / 2)]?.mm ?? 0),
    );
    const more = middles.length > MAX_PLACES ? ', …' : '';
    const places = `${middles.slice(0, MAX_PLACES).join(', ')}${more}`;
    const pages = new Set(dirty.flatMap((streaks) => streaks.map(({ page }) => page)));
    const key = side === undefined ? 'dirty_glass' : GLASSES[side];
    return [warning(key, { pages: listed([...pages]), places })];
  });
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
