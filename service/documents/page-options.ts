import { isDeepStrictEqual } from 'node:util';
import type { PageOptions } from '../../helpers/processor-contract.ts';
import { quarterTurn } from '../archive/page-edits.ts';
import type { RecordedPage } from '../archive/scan-record.ts';
import type { Profile } from '../profiles/profile.ts';
import { removesBlank } from './dropped-pages.ts';

type Settings = Pick<Profile, 'processing' | 'assembly' | 'mode' | 'page_size'>;

/** The processor options for a page. Skips examinations whose result decides nothing. */
export function pageOptions(
  { processing, assembly, mode, page_size }: Settings,
  page: Pick<RecordedPage, 'side' | 'cropped' | 'turn'>,
): PageOptions {
  const { page_grouping, remove_blank_pages, barcodes } = assembly;
  const { output_type: _, low_confidence: __, rotate_backs, ...asked } = processing;
  return {
    ...asked,
    ...(page.turn ? turnedBy(page.turn) : { rotate: page.side === 'back' ? rotate_backs : 0 }),
    crop: page_size === 'auto' && page.cropped !== true,
    // Keeps pages that the scanner delivered in black and white.
    lineart: mode === 'Lineart',
    examine: remove_blank_pages !== 'none' || page_grouping === 'blank_page',
    codes: barcodes !== undefined,
    separators: page_grouping === 'separator' && barcodes ? barcodes.separator : [],
    drop_blank: removesBlank(assembly, page),
  };
}

/** The orientation that the person chose is final, so automatic rotation is off. */
function turnedBy({ from, by }: NonNullable<RecordedPage['turn']>): Partial<PageOptions> {
  return { rotate: quarterTurn(from + by), rotate_pages: false };
}

/**
 * True if recognising the page again with these options would give the same result: no page left
 * out earlier is wanted now, and nothing is missing that was not examined then.
 */
export function isAsWanted(
  { options: had, facts }: NonNullable<RecordedPage['recognized']>,
  wanted: PageOptions,
): boolean {
  if (had === undefined || !isDeepStrictEqual(recognition(had), recognition(wanted))) return false;
  switch (facts.left_out) {
    case 'blank':
      return wanted.drop_blank === true;
    case 'separator':
      return isDeepStrictEqual(had.separators, wanted.separators);
    case null:
      return isKnown(had.examine, wanted.examine) && isKnown(had.codes, wanted.codes);
  }
}

function isKnown(had: boolean | undefined, wanted: boolean | undefined): boolean {
  return had === true || wanted !== true;
}

/** The options that decide about the text and image in the PDF. */
function recognition(options: PageOptions): object {
  const questions = { examine: undefined, codes: undefined, separators: undefined };
  return { ...options, ...questions, drop_blank: undefined, usual_turn: undefined };
}
