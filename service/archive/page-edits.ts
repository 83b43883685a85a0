import { inSheetOrder } from './sheets.ts';
import type { PageEdit, QuarterTurn } from './scan-event.ts';
import type { RecordedPage, ScanRecord } from './scan-record.ts';

type Arranged = Pick<ScanRecord, 'pages' | 'arranged'>;

/** Returns the pages after an edit. Throws an Error if the record has no such page. */
export function withEdit(
  { pages, arranged }: Arranged,
  number: number,
  { before, ...edit }: PageEdit,
): Arranged {
  const index = placeOf(pages, number);
  const page = pages[index];
  if (page === undefined) throw new Error(`there is no page ${number}`);
  const edited = changed(page, edit);
  if (before === undefined) return { pages: pages.with(index, edited), arranged };
  const others = pages.toSpliced(index, 1);
  const place = before === null ? others.length : placeOf(others, before);
  return { pages: others.toSpliced(place, 0, edited), arranged: true };
}

function placeOf(pages: readonly RecordedPage[], number: number): number {
  const index = pages.findIndex((page) => page.number === number);
  if (index === -1) throw new Error(`there is no page ${number}`);
  return index;
}

function changed(
  page: RecordedPage,
  { left_out, turn, starts_document }: Omit<PageEdit, 'before'>,
): RecordedPage {
  return {
    ...page,
    ...(left_out !== undefined && { left_out: left_out || undefined }),
    ...(turn !== undefined && { turn: turned(page, turn) }),
    ...(starts_document !== undefined && { starts_document: starts_document || undefined }),
  };
}

/** Counts from the first orientation that the person saw, even if the page is recognised again. */
function turned(page: RecordedPage, by: QuarterTurn): RecordedPage['turn'] {
  if (by === 0) return undefined;
  return { from: page.turn?.from ?? quarterTurn(page.recognized?.facts.turned ?? 0), by };
}

/** Rounds to the nearest quarter turn. */
export function quarterTurn(degrees: number): QuarterTurn {
  const quarters = Math.round(degrees / 90);
  return ([0, 90, 180, 270] as const)[((quarters % 4) + 4) % 4] ?? 0;
}

/** Adds or replaces a page. Among arranged pages, a new back follows its front. */
export function withPage({ pages, arranged }: Arranged, page: RecordedPage): RecordedPage[] {
  const index = pages.findIndex(({ number }) => number === page.number);
  if (index !== -1) return pages.with(index, page);
  if (!arranged) return inSheetOrder([...pages, page]);
  const sheet = pages.findLastIndex((other) => other.sheet === page.sheet);
  return pages.toSpliced(sheet === -1 ? pages.length : sheet + 1, 0, page);
}
