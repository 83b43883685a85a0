import { quarterTurn, type QuarterTurn } from '../../helpers/page-crop.ts';
import { inSheetOrder } from './sheets.ts';
import type { PageEdited } from './scan-event.ts';
import type { RecordedPage, ScanRecord } from './scan-record.ts';

type Arranged = Pick<ScanRecord, 'pages' | 'arranged'>;

export type RecordedEdit = Omit<PageEdited, 'type' | 'at' | 'page'>;

/** Throws an Error if the record has no such page. */
export function withEdit(
  { pages, arranged }: Arranged,
  number: number,
  { before, ...edit }: RecordedEdit,
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
  { left_out, turn, starts_document, crop }: Omit<RecordedEdit, 'before'>,
): RecordedPage {
  return {
    ...page,
    ...(left_out !== undefined && { left_out: left_out || undefined }),
    ...((turn !== undefined || crop !== undefined) && placed(page, { turn, crop })),
    ...(starts_document !== undefined && { starts_document: starts_document || undefined }),
  };
}

/**
 * Stores a turn relative to the orientation that the person first saw. A crop also fixes that
 * orientation, since recognition may misread the orientation of a small part.
 */
function placed(
  page: RecordedPage,
  { turn = page.turn?.by ?? 0, crop = page.crop ?? null }: Pick<RecordedEdit, 'turn' | 'crop'>,
): Pick<RecordedPage, 'turn' | 'crop'> {
  const isKept = crop !== null && (page.turn ?? page.recognized) !== undefined;
  return {
    turn: turn === 0 && !isKept ? undefined : { from: seenTurn(page), by: turn },
    crop: crop ?? undefined,
  };
}

/** Returns the rotation from the raw page to the displayed page. `by` is the person's turn. */
export function shownTurn(page: RecordedPage, by = page.turn?.by ?? 0): QuarterTurn {
  return quarterTurn(seenTurn(page) + by);
}

/** Returns the orientation in which a person first saw the page. */
function seenTurn({ turn, recognized }: RecordedPage): QuarterTurn {
  return turn?.from ?? quarterTurn(recognized?.facts.turned ?? 0);
}

/** Adds or replaces a page. If a person has arranged the pages, a new back goes after its front. */
export function withPage({ pages, arranged }: Arranged, page: RecordedPage): RecordedPage[] {
  const index = pages.findIndex(({ number }) => number === page.number);
  if (index !== -1) return pages.with(index, page);
  if (!arranged) return inSheetOrder([...pages, page]);
  const sheet = pages.findLastIndex((other) => other.sheet === page.sheet);
  return pages.toSpliced(sheet === -1 ? pages.length : sheet + 1, 0, page);
}
