import { createReader, fill, type FactsOf, type ParsedSentence } from './sentences.ts';

/** The control page translates these: `service/page/texts/` needs a sentence for each code. */
const WARNINGS = {
  // Scanner.
  max_pages:
    'The scan ended at max_pages, {#max_pages}. Check whether sheets are left in the feeder.',
  last_page_unfinished:
    'The scanner began another page and did not finish it. Check that the last sheet is there.',
  odd_sides:
    '{#pages} pages are not a whole number of sheets in duplex. Check that no side is missing.',
  one_page_only:
    'Only one page was scanned, as the source "{source}" does not say whether it is a feeder. Choose a source that does for a stack.',
  other_size:
    'Page {pages} measures {size} instead of {expected} mm. Check the page size of the profile.',
  'other_size/many':
    'Pages {pages} measure {size} instead of {expected} mm. Check the page size of the profile.',
  paper_cut:
    'The scanner ends before the paper: {size} of {paper} were scanned. Check that nothing is missing at the edges.',
  area_unusable:
    'Page {pages} measures {size} instead of {expected} mm, because the driver lists a scanning area that no page fits into. Use the scanner by eSCL instead: set device to airscan:escl:NAME:http://ADDRESS/eSCL.',
  'area_unusable/many':
    'Pages {pages} measure {size} instead of {expected} mm, because the driver lists a scanning area that no page fits into. Use the scanner by eSCL instead: set device to airscan:escl:NAME:http://ADDRESS/eSCL.',
  sheets_may_be_missing:
    'Up to {#sheets} sheet may have gone through the feeder without being stored. Compare the last page with the stack.',
  'sheets_may_be_missing/many':
    'Up to {#sheets} sheets may have gone through the feeder without being stored, and more where the scanner is faster than this computer. Compare the last page with the stack.',
  'sheets_may_be_missing/after':
    'After page {#page}, up to {#sheets} sheet may have gone through the feeder without being stored. Compare that page with the stack.',
  'sheets_may_be_missing/many_after':
    'After page {#page}, up to {#sheets} sheets may have gone through the feeder without being stored, and more where the scanner is faster than this computer. Compare that page with the stack.',
  // Text recognition. The service prefixes the page.
  not_examined: 'examining the page failed: it is kept as it was scanned',
  not_straightened: 'deskewing failed: the page is as it was scanned',
  not_cut_out: 'cutting the page to its paper failed: the page is as it was scanned',
  not_turned: 'turning the page failed: the page is as it was scanned',
  not_bilevel: 'making the page black and white failed: the page is as it was scanned',
  codes_not_read: 'reading codes failed: the page counts as one without codes',
  codes_not_listed: '{#count} codes are not listed: there are too many, or they are too long',
  text_not_read: 'text recognition {reason}: the page has no text',
  'text_not_read/not_added':
    'the recognized text could not be added to the page: the page has no text',
  several_images: 'the file holds {#images} images: only the first one became a page',
  more_warnings: '{#count} more warnings',
  // Document planning.
  uncut:
    'Page {pages} was not cut to the paper: its edges cannot be told from the backing of the scanner. Set page_size to the size of the paper.',
  'uncut/many':
    'Pages {pages} were not cut to the paper: its edges cannot be told from the backing of the scanner. Set page_size to the size of the paper.',
  dirty_glass:
    "Pages {pages} have streaks from dirt on the scanner's glass. Wipe the glass at {places} mm from the left edge.",
  dirty_front_glass:
    "Pages {pages} have streaks from dirt on the scanner's glass. Wipe the glass of the front side at {places} mm from the left edge.",
  dirty_back_glass:
    "Pages {pages} have streaks from dirt on the scanner's glass. Wipe the glass of the back side at {places} mm from the left edge.",
  nearly_blank: 'Page {#page} is nearly blank (score {#score}). It was kept.',
  nothing_follows: 'no page follows this separator. What its codes say is not used.',
  code_not_used: 'the code "{text}" is not a serial number from 0 to 4294967295. It is ignored.',
  'code_not_used/other':
    'the code "{text}" is not used, because the document has the serial number {#number}.',
  'code_not_used/not_allowed':
    'the code "{text}" is not used. The profile does not allow it: assembly.barcodes.metadata is false.',
  'code_not_used/wrong': 'the code "{text}" is not used: it must be {expected}.',
  code_unknown: 'A code on a separator is not used. {cause}',
  repeated_number:
    'The document that begins with page {#page} has the same serial number as an earlier one, {#number}. It was filed without a number.',
  no_number:
    'The title names a serial number, and the profile does not read codes: its place is empty. Set assembly.barcodes, or archive_serial_number in the request.',
  low_confidence:
    'low_confidence: the text of these pages of {document} is uncertain (confidence below {#percent} %): {pages}. A search may miss words, and amounts may be wrong. Scan the paper again if the image is pale, blurred or askew; coarse or worn print does not get better.',
  'low_confidence/resolution':
    'low_confidence: the text of these pages of {document} is uncertain (confidence below {#percent} %): {pages}. A search may miss words, and amounts may be wrong. They were scanned at {#dpi} dpi: scan the paper again at 300 dpi.',
  'low_confidence/earlier':
    'low_confidence: the text of these pages of {document} was recognized with a confidence below {#percent} %: {pages}. Check the text, or scan the paper again with more contrast or resolution.',
  'low_confidence/earliest':
    'low_confidence: the text of these pages of {document} was recognised with a confidence below {#percent} %: {pages}. Check the text, or scan the paper again with more contrast or resolution.',
  no_text:
    'No text was found on page {pages}, which is not blank. If it should have text, scan the paper again with more contrast or resolution.',
  'no_text/many':
    'No text was found on pages {pages}, which are not blank. If they should have text, scan the paper again with more contrast or resolution.',
  print_not_read:
    'On page {pages}, print {where} was not read: a search will not find it. Look at the page. Pictures, stamps and handwriting are not read; if print is missing, scan the paper again, flat and straight.',
  'print_not_read/many':
    'On pages {pages}, print {where} was not read: a search will not find it. Look at the pages. Pictures, stamps and handwriting are not read; if print is missing, scan the paper again, flat and straight.',
  card_too_large:
    'the sides do not fit on one page at true size: each has a page of its own. Check that the card was cut out.',
  // Scans that are resumed. The last warning is for a call that timed out.
  sides_differ:
    'The scan has {fronts} and {backs}: its pages are in the order in which they were scanned.',
  short_stack: 'The feeder was stopped by {cause}: the documents hold the pages stored until then.',
  remade: '{file} was damaged on the disk. It was made again from its pages.',
  page_gone: '{file} is no longer on disk',
  page_not_whole: '{file} is left out because it is not whole: {cause}',
  not_replaced:
    '{file} was scanned in place of page {#page}, but the service stopped before it could replace it: it is in no document.',
  still_stopping:
    'The feeder was still stopping when the time was up: GET /scans/{scan_id} shows the pages that came after this answer, and what the scanner reports.',
  // Destinations.
  destination_down: 'Documents may not be delivered to {system}. {cause}',
  serial_number_in_use:
    'Document {#id} in {system} has the archive serial number {#number} already: this one is filed without it.',
  already_there: '{system} has this document as number {#id}: it was not sent again.',
  being_filed:
    '{system} has this document in its queue or is working on it: it was not sent again. If the task is stuck, dismiss it there first.',
  resend_failed:
    'This document could not be sent to {system} again, and nothing changed there. {cause}',
  outcome_unknown:
    'It is unknown whether {system} accepted {document}. Search its documents and its file tasks for the title "{title}" or the file name "{filename}". If it is not there, POST {body} to {path}.',
  'outcome_unknown/untitled':
    'It is unknown whether {system} accepted {document}. Search its documents and its file tasks for the file name "{filename}". If it is not there, POST {body} to {path}.',
} as const;

export type WarningKey = keyof typeof WARNINGS;

/** Exported for tests. */
export const WARNING_SENTENCES: Readonly<Record<string, string>> = WARNINGS;

export function warning<Key extends WarningKey>(
  key: Key,
  facts: FactsOf<(typeof WARNINGS)[Key]>,
): string {
  return fill(WARNINGS[key], facts);
}

const read = createReader(WARNINGS);

const PLACE = /^(?:Page (?<page>\d+)|(?<document>[\w-]+\.pdf)): /;

/** Undefined for unknown wordings. */
export function explainWarning(text: string): ParsedSentence | undefined {
  const place = PLACE.exec(text);
  const whole = read(text);
  const said = whole ?? (place ? read(text.slice(place[0].length)) : undefined);
  if (said === undefined || whole !== undefined) return said;
  const { page, document } = place?.groups ?? {};
  return {
    code: said.code,
    facts: {
      ...said.facts,
      ...(page !== undefined && { page: Number(page) }),
      ...(document !== undefined && { document }),
    },
  };
}
