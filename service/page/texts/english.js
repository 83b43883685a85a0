/** @param {number} count @param {string} one @param {string} many */
export const n = (count, one, many) => `${count} ${count === 1 ? one : many}`;

/**
 * The hint for the service's operator in messages that only the operator can act on.
 * @type {string}
 */
export const OPERATOR =
  'For the person who looks after it: npm run doctor, or with Docker: docker compose exec service doctor.';

/** All texts of the page except errors. Functions take the values to insert. */
export const texts = {
  title: 'Scan',
  start: 'What are you scanning?',
  searchProfiles: 'Find what to scan',
  searchScans: 'Find a scan by its name',
  nothingFound: 'No scan has this in its name. Paperless-ngx searches the whole text.',
  next: 'Scan the next stack',
  /** @type {Record<import('../types.d.ts').ProfileKind, string>} */
  kinds: {
    feeder: 'Feeder, one side',
    both_sides: 'Feeder, both sides',
    glass: 'Glass',
    receipts: 'Feeder, one document per page',
    card: 'Card, both sides on one page',
  },
  /** @type {Record<string, string>} */
  modes: { Gray: 'gray', Color: 'color', Lineart: 'black and white' },
  hold: 'Wait before filing',
  holdHint: 'Look at the pages first, add paper, or, with “one side”, scan the backs.',
  holdOn: 'On for this device: nothing is filed until you press “Finish and file”.',
  holdMark: 'Waits before filing',
  options: 'Options',
  brokenButton: 'Cannot be used: its profile is missing.',
  /**
   * Words for the values of scan settings and of `page_grouping`.
   * @type {Record<string, string>}
   */
  words: {
    color: 'color',
    gray: 'gray',
    black_and_white: 'black and white',
    feeder: 'one side',
    both_sides: 'both sides',
    glass: 'glass',
    auto: 'size of the paper',
    letter: 'US Letter',
    legal: 'US Legal',
    combined: 'one document',
    per_page: 'one document per page',
    per_sheet: 'one document per sheet',
    separator: 'split at separator sheets',
    blank_page: 'split at blank pages',
    card: 'both sides of a card',
  },
  noProfiles: 'There is no profile yet',
  noProfilesAdvice: 'For the person who looks after it: npm run setup makes one.',
  recent: 'Recent scans',
  noScans: 'Nothing has been scanned yet',
  noScansAdvice: 'Put paper into the scanner and press a button: the pages appear here.',
  older: 'Show older scans',
  allScans: 'All scans',
  settings: 'Settings',
  finishSetUp: 'Finish the set-up',
  starting: 'Starting',
  startingAdvice: 'The scanner is getting ready.',
  scanning: 'Scanning',
  byPaper: 'It was started by paper in the feeder.',
  byButton: (/** @type {string} */ button) =>
    `It was started at the scanner, with the button “${button}”.`,
  scanningAdvice: 'You can close this page: the scan goes on.',
  reading: 'Reading the text',
  filing: 'Filing',
  glassFree: 'You can take it off the glass.',
  feederFree: 'The feeder is free. Take your paper.',
  done: 'Filed',
  donePartly: 'Not everything was filed',
  held: 'Not filed yet',
  waiting: (/** @type {number} */ count) => `${n(count, 'scan waits', 'scans wait')} for you`,
  heldAdvice: 'Press a page to see or correct it.',
  backsAdvice: 'For the backs, put the stack back in as it came out, turned over.',
  backsAfterwards: 'Did the sheets have backs?',
  backsAfterwardsAdvice:
    'A filed scan takes no more pages. Scan the stack again with “Wait before filing”, then its backs, and delete this one in Paperless-ngx.',
  backsSoFar: 'Put the rest in for its backs, or finish if there is none.',
  waits: 'It waits for you before it is filed.',
  still: (/** @type {string} */ title) => `Still: ${title}`,
  failed: 'Failed',
  pages: (/** @type {number} */ count) => n(count, 'page', 'pages'),
  documents: (/** @type {number} */ count) => n(count, 'document', 'documents'),
  page: (/** @type {number} */ number) => `Page ${number}`,
  pageRange: (/** @type {string} */ range) => `Pages ${range}`,
  blankPage: 'blank, left out',
  separatorPage: 'separator sheet',
  replacedPage: 'scanned again, left out',
  personPage: 'left out',
  croppedPage: 'cropped',
  progress: (/** @type {number} */ done, /** @type {number} */ all) =>
    `${done} of ${n(all, 'page', 'pages')} read`,
  safe: (/** @type {number} */ count) => `${n(count, 'page is', 'pages are')} safe.`,
  openDocument: 'Open PDF',
  causeUnknown: `The reason is in the record of the scan. ${OPERATOR}`,
  sending: 'Being sent',
  accepted: 'Sent to Paperless-ngx',
  refused: 'Not delivered',
  unknown: 'It is not known whether this arrived',
  warnings: 'Please note',
  details: 'Message of the service, for the person who looks after it',
  otherNotes: (/** @type {number} */ count) =>
    `${n(count, 'more note is', 'more notes are')} in the message of the service below.`,
  again: 'Scan again',
  tryAgain: 'Try again',
  goOn: 'Go on with the rest',
  fileThese: (/** @type {number} */ count) => `File only ${n(count, 'page', 'pages')}`,
  sendAgain: 'Send again',
  sendUnknown: 'It did not arrive: send again',
  documentMenu: (/** @type {string} */ title) => `More for ${title}`,
  resendAdvice: 'Only if Paperless-ngx does not show it after a few minutes:',
  resend: 'Send it again',
  newTitle: 'Title',
  titleHint: 'The first line of its text',
  addBackOfCard: 'Scan the back',
  turnCard: 'Turn the card over',
  turnCardAdvice: 'Lay it on the same place of the glass, with the other side down.',
  findFirst: 'Look whether it arrived',
  findIt: 'Look for it there',
  startsDocument: 'new document',
  discard: 'Discard this scan',
  undiscard: 'Take it back: do not discard',
  watch: 'Watch it',
  addPages: 'Add more pages',
  addBacks: 'Scan the backs',
  finish: 'Finish and file',
  stop: 'Stop after this sheet',
  stopping: 'Stopping after this sheet',
  yes: 'Yes',
  no: 'No',
  lost: 'No connection. Trying again.',
  lostScan: 'The scan goes on without this page, which catches up automatically.',
  lostPress: 'Your press has not been answered. After 30 seconds it is no longer sent.',
  cancel: 'Do not scan',
  opening: 'One moment',
  stopLost: 'The stop did not get through. Try again, or stop at the scanner.',
  scannerFree: 'The scanner is free',
  scannerFreeAdvice: 'The other stack has gone through. Put your paper in.',
  scanNow: 'Scan now',
  otherFeeds: (/** @type {number} */ pages) =>
    `Another stack is being fed, ${n(pages, 'page', 'pages')} so far. This page says when it is your turn.`,
  sides: (/** @type {number} */ fronts, /** @type {number} */ backs) =>
    `${n(fronts, 'front', 'fronts')}, ${n(backs, 'back', 'backs')}.`,
  space: (/** @type {number} */ free, /** @type {number} */ needed) =>
    `${free} MB are free, ${needed} MB are needed.`,
  named: (/** @type {string} */ value, /** @type {string} */ near) =>
    `“${value}” does not exist.${near && ` Similar: ${near}.`}`,
  setting: (/** @type {string} */ option, /** @type {string} */ value) => `${option}: ${value}.`,
  unknownError: 'Something went wrong',
};

/** @type {readonly [string, string]} */
const NOT_UNDERSTOOD = ['The request was not understood', 'Load this page again.'];

/**
 * The title and advice of each error code, for the person at the scanner.
 * @type {Record<string, readonly [title: string, advice: string]>}
 */
export const errors = {
  no_documents: ['The feeder is empty', 'Put your paper in and scan again.'],
  scanner_jammed: [
    'Paper jam',
    'Open the scanner, take out the stuck sheet, and put it and the rest back in.',
  ],
  cover_open: ['The cover is open', 'Close the scanner, with the rest of the stack in the feeder.'],
  scanner_error: [
    'The scanner has a problem',
    'Fan the stack and put it back in. If that does not help, switch the scanner off and on.',
  ],
  scanner_busy: [
    'The scanner is in use',
    'Another stack is being fed. Wait until it has finished.',
  ],
  scanner_busy_elsewhere: [
    'Someone else is using the scanner',
    'Another program or person has it. Wait until it is free, then scan again.',
  ],
  scan_stopped: ['Stopped', 'Someone stopped the feeder.'],
  no_scanner_detected: [
    'No scanner found',
    'Switch the scanner on and check its cable or network.',
  ],
  scanner_runtime_unreachable: ['The scanner part is not running', OPERATOR],
  scan_option_rejected: [
    'The scanner cannot do this',
    'A setting of the profile does not fit the scanner. The message below says which.',
  ],
  only_blank_pages: [
    'All pages are blank',
    'Check that the paper is the right way up, then scan again.',
  ],
  sheet_count_mismatch: [
    'The numbers of sheets differ',
    'Turn the whole stack over at once, put it back in and scan the backs again.',
  ],
  too_many_sheets: [
    'More than one sheet was fed',
    'The page is as it was. Put in only the sheet to scan again.',
  ],
  metadata_not_found: [
    'A tag or name does not exist',
    'Paperless-ngx does not have it. Create it there, or correct the profile.',
  ],
  destination_unavailable: [
    'Paperless-ngx does not answer',
    `Nothing was scanned yet. Check that it is running. ${OPERATOR}`,
  ],
  processing_failed: [
    'Reading the pages failed',
    'Try again; if it keeps failing, look at the message below.',
  ],
  processor_unreachable: ['The text recognition is not running', OPERATOR],
  timeout: ['It took too long', 'The time limit of the profile has passed.'],
  insufficient_storage: [
    'The disk cannot take more',
    'It is full or not available. For the person who looks after it: npm run prune shows what can go.',
  ],
  scan_in_progress: ['This scan is still running', 'Wait until it has ended.'],
  scan_interrupted: [
    'The scan was interrupted',
    'The service was stopped in the middle. The pages are safe.',
  ],
  scan_discarded: ['This scan was discarded', 'Its pages are still stored.'],
  scan_not_editable: [
    'This scan can no longer be edited',
    'Once it is filed, correct it in Paperless-ngx.',
  ],
  scan_not_resumable: ['This scan cannot go on', 'Scan the rest as a new scan.'],
  scan_not_found: ['There is no such scan', 'It may have been removed.'],
  scan_record_unreadable: [
    'This scan cannot be read',
    'Its record is damaged. The pages are still on the disk.',
  ],
  profile_not_found: [
    'This profile is not available',
    'It was removed, or its file has a mistake. Load this page again.',
  ],
  profile_exists: ['A button has this name', 'Save it again, or under another name.'],
  set_up_closed: ['It is set up already', 'Enter the operator password.'],
  profile_read_only: [
    'This button cannot be changed here',
    'It belongs to the service. Save a button of your own instead.',
  ],
  too_many_profiles: ['There are too many buttons', 'Remove one to save another.'],
  profile_changed: [
    'Another phone was faster',
    'The button was changed or removed there. Look at it again.',
  ],
  no_profiles_loaded: [
    'There is no profile',
    'For the person who looks after it: npm run setup makes one.',
  ],
  output_dir_in_use: ['The disk belongs to another service', OPERATOR],
  shutting_down: ['The service is stopping', 'Try again when it is back.'],
  too_many_requests: ['The service is very busy', 'Wait a moment, then try again.'],
  internal_error: ['The service has a fault', `Nothing that was scanned is lost. ${OPERATOR}`],
  unauthorized: ['The password is missing', 'Enter the password for scanning.'],
  forbidden_origin: NOT_UNDERSTOOD,
  misdirected_host: [
    'The service is not known by this name',
    'Use its address. For the person who looks after it: add the name to ALLOWED_HOSTS.',
  ],
  invalid_body: ['A value does not fit', 'Correct it, or the profile that it comes from.'],
  invalid_parameter: NOT_UNDERSTOOD,
  idempotency_key_reused: [
    'This scan was asked for before',
    'Look at the recent scans before you scan again.',
  ],
  malformed_request: NOT_UNDERSTOOD,
  request_timeout: ['The request arrived too slowly', 'Check the network, then try again.'],
  not_found: NOT_UNDERSTOOD,
  method_not_allowed: NOT_UNDERSTOOD,
  not_implemented: NOT_UNDERSTOOD,
  body_too_large: NOT_UNDERSTOOD,
  header_too_large: NOT_UNDERSTOOD,
  unsupported_media_type: NOT_UNDERSTOOD,
  expectation_failed: NOT_UNDERSTOOD,
  no_preview: ['This page cannot be shown', 'It is on the disk all the same.'],
  not_answered: [
    'No answer from the service',
    'Your press is no longer sent. When the connection is back, look at “All scans” before you try again.',
  ],
  unreachable: [
    'The service does not answer',
    'Check the network, and that the service is running.',
  ],
};
