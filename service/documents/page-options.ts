import { isDeepStrictEqual } from 'node:util';
import { quarterTurn } from '../../helpers/page-crop.ts';
import type { PageOptions } from '../../helpers/processor-contract.ts';
import type { RecordedPage } from '../archive/scan-record.ts';
import type { Profile } from '../profiles/profile.ts';
import { removesBlank } from './dropped-pages.ts';

type Settings = Pick<Profile, 'processing' | 'assembly' | 'mode' | 'page_size'>;
type Page = Pick<RecordedPage, 'side' | 'scanned_side' | 'cropped' | 'turn' | 'crop' | 'paper'>;

/** Returns what the processor should do with a page. `isHeld`: a person may still crop the page. */
export function pageOptions(settings: Settings, page: Page, isHeld = false): PageOptions {
  const { processing, assembly, mode } = settings;
  const { page_grouping, remove_blank_pages, barcodes } = assembly;
  const { output_type: _, low_confidence: __, rotate_backs, ...asked } = processing;
  return {
    ...asked,
    ...(page.turn ? turnedBy(page.turn) : { rotate: isFedBack(page) ? rotate_backs : 0 }),
    // The scanner has already made this page black and white.
    lineart: mode === 'Lineart',
    examine: remove_blank_pages !== 'none' || page_grouping === 'blank_page',
    codes: barcodes !== undefined,
    separators: page_grouping === 'separator' && barcodes ? barcodes.separator : [],
    drop_blank: removesBlank(assembly, page),
    ...croppedAs(settings, page, isHeld),
  };
}

/** Crops as a person chose, or with `page_size: auto` to the paper. */
function croppedAs(
  { page_size, processing }: Settings,
  { crop: cut, cropped, paper }: Page,
  isHeld: boolean,
): Partial<PageOptions> {
  if (cut) {
    // A person has chosen crop and angle, and wants the page.
    return { crop: false, cut, drop_blank: false, deskew: processing.deskew && cut.angle === 0 };
  }
  const crop = page_size === 'auto' && cropped !== true;
  const findPaper = (crop || isHeld) && cropped !== true && paper === undefined;
  return { crop, ...(findPaper && { find_paper: true }) };
}

function isFedBack({ side, scanned_side = side }: Page): boolean {
  return scanned_side === 'back';
}

/** A person has chosen the orientation, so automatic rotation is off. */
function turnedBy({ from, by }: NonNullable<RecordedPage['turn']>): Partial<PageOptions> {
  return { rotate: quarterTurn(from + by), rotate_pages: false };
}

/**
 * True if recognizing the page again with these options would change nothing: a page left out
 * earlier would be left out again, and everything wanted now was examined then.
 */
export function isUpToDate(
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

/** The options that affect the text and the image of the PDF. */
function recognition(options: PageOptions): object {
  const questions = { examine: undefined, codes: undefined, separators: undefined };
  const others = { drop_blank: undefined, find_paper: undefined, usual_turn: undefined };
  return { ...options, ...questions, ...others };
}
