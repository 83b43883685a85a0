import { quarterTurn } from '../../helpers/page-crop.ts';
import type { PageOptions } from '../../helpers/processor-contract.ts';
import type { RecordedPage } from '../archive/scan-record.ts';
import type { Profile } from '../profiles/profile.ts';
import { pageOptions } from './page-options.ts';

/**
 * Text of this length and confidence shows which way is up: Tesseract reads 40 characters upright
 * with 80 % or more, and upside down with 45 % or less.
 */
const TELLING_CHARACTERS = 40;
const TELLING_CONFIDENCE = 65;

export type Turn = Required<PageOptions>['usual_turn'];

/**
 * Returns pages with too little text to show which way is up, each with the turn on which the other
 * pages agree. Prefers pages of the same side, because feeders may scan backs upside down.
 */
export function turnsToFollow(
  pages: readonly RecordedPage[],
  settings: Profile,
): [RecordedPage, Turn][] {
  const telling = pages.filter((page) => !page.replaced && !page.turn && isTelling(page));
  const turns: [RecordedPage, Turn][] = [];
  if (!settings.processing.rotate_pages) return turns;
  for (const page of pages) {
    if (page.replaced || page.left_out || page.turn || !saysLittle(page)) continue;
    const sameSide = telling.filter(({ side }) => side === page.side);
    const others = sameSide.length > 0 ? sameSide : telling;
    const [turn, ...different] = new Set(others.map((other) => turnOf(other, settings)));
    if (turn === undefined || turn === 0 || different.length > 0 || turnOf(page, settings) === turn)
      continue;
    turns.push([page, turn]);
  }
  return turns;
}

function isTelling({ recognized }: RecordedPage): boolean {
  if (!recognized || recognized.facts.left_out !== null) return false;
  const { characters, confidence } = recognized.facts;
  return characters >= TELLING_CHARACTERS && (confidence ?? 0) >= TELLING_CONFIDENCE;
}

function saysLittle(page: RecordedPage): boolean {
  return page.recognized?.facts.left_out === null && !isTelling(page);
}

/** The turn that was recognized, without the profile's rotation of backs. */
function turnOf(page: RecordedPage, settings: Profile): Turn {
  const { rotate = 0 } = pageOptions(settings, page);
  return quarterTurn((page.recognized?.facts.turned ?? 0) - rotate);
}
