const { n, OPERATOR } = await import('./english.js');

/** @typedef {import('../types.d.ts').Facts} Facts */

/** Texts of modules that are loaded on demand. */
export const later = {
  share: 'Share PDF',
  shareAgain: 'Press again to share',
  optionsOf: (/** @type {string} */ label) => `Options: ${label}`,
  asButton: 'As the button has it.',
  resetOptions: 'Back to the button’s own',
  askingScanner: 'Asking the scanner what it can do.',
  noChoices: 'The scanner does not say right now what it can do. Try again when it is on and free.',
  brokenAdvice:
    'The profile behind this button is missing or has a mistake. Remove the button, or have the profile put right.',
  scanSo: 'Scan',
  done: 'Done',
  colors: 'Color',
  sides: 'Where the paper is',
  quality: 'Quality',
  qualities: { 150: 'Small', 200: 'Light', 300: 'Good', 600: 'Finest' },
  paperSize: 'Paper',
  grouping: 'Documents',
  languages: 'Languages of the text',
  saveAs: 'Save as a button',
  saveButton: 'Save this button',
  saved: (/** @type {string} */ label) => `“${label}” is saved, for everyone at home.`,
  changeButton: 'Change this button',
  buttonName: 'Name of the button',
  buttonIcon: 'Icon',
  removeButton: 'Remove this button',
  removed: (/** @type {string} */ label) => `“${label}” is removed.`,
  noButtonLeft: 'There are as many buttons as there can be. Remove one to save another.',
  /** @type {Record<string, string>} */
  icons: {
    letter: 'Letter',
    feeder: 'Sheet',
    both_sides: 'Two sides',
    glass: 'Glass',
    receipts: 'Receipt',
    card: 'Card',
    school: 'School',
    house: 'House',
    health: 'Health',
    money: 'Bank',
    car: 'Car',
    work: 'Work',
    photo: 'Photo',
    star: 'Star',
  },
  optionTitle: 'Title of the next scan',
  optionTitleHint: 'As the button gives it',
  optionTags: 'Tags',
  optionTagsHint: 'Choose from the list',
  noTag: (/** @type {string} */ tag) =>
    `There is no tag “${tag}”. Choose another, or empty the field.`,
  removeTag: (/** @type {string} */ tag) => `Remove ${tag}`,
  previousPage: 'Page before',
  nextPage: 'Next page',
  zoom: 'Larger',
  close: 'Close',
  place: (/** @type {number} */ place, /** @type {number} */ all) => `Page ${place} of ${all}`,
  leaveOut: 'Leave out',
  putBack: 'Put back',
  turnPage: 'Turn',
  moveEarlier: 'Move earlier',
  moveLater: 'Move later',
  newDocument: 'New document starts here',
  noNewDocument: 'No new document here',
  undo: 'Undo',
  redo: 'Redo',
  crop: 'Crop',
  cropAdvice: 'Drag the corners, or press one and use the arrows.',
  cropNow: 'Crop here',
  wholePage: 'Whole page',
  cancel: 'Cancel',
  straighten: 'Straighten',
  cropFrame: 'What is kept',
  corners: {
    nw: 'Top left corner',
    ne: 'Top right corner',
    sw: 'Bottom left corner',
    se: 'Bottom right corner',
  },
  /** @type {Record<string, string>} */
  arrows: {
    ArrowLeft: 'Move left',
    ArrowUp: 'Move up',
    ArrowDown: 'Move down',
    ArrowRight: 'Move right',
  },
  scanAgain: 'Scan this page again',
  scanAgainAdvice:
    'Put only this page into the scanner. The new page takes the place of this one, which is kept.',
  scanAgainNow: 'Scan it now',
  fromGlass: 'From the glass',
  fromFeeder: 'From the feeder',
  useEarlier: 'Use the old page',
  useNewer: 'Use the new page',
  profileProblems: (/** @type {number} */ count) =>
    `${n(count, 'profile has', 'profiles have')} a mistake and cannot be used`,
  setUp: 'Check of the set-up',
  setUpAgain: 'Check again',
  setUpOperator: OPERATOR,
  setUpWords: 'Message of the service:',
  setUpGood: 'Everything is in order.',
  setUpOpen: (/** @type {number} */ count) => `${count} not checked`,
  setUpBad: (/** @type {number} */ count) => n(count, 'problem', 'problems'),
  tokenTitle: 'This service is protected',
  token: 'Password for scanning',
  tokenAdvice: 'Enter the password for scanning.',
  tokenAgain: 'The password was changed, or your login has expired.',
  tokenWrong: 'That is not the password. Ask the person who set up this appliance.',
  tokenSend: 'Continue',
};

/** @param {Facts} facts */
const kept = ({ page }) => `It is kept as it was scanned: page ${page}.`;

/** @param {string | number | undefined} pages */
const pagesText = (pages) => `${/\D/.test(String(pages)) ? 'pages' : 'page'} ${pages}`;

/** @param {Facts} facts `said`: a program's own message */
const own = ({ said }) => (said === undefined ? '' : ` (${said})`);

/** @param {Facts} facts */
const dms = ({ system }) => system ?? 'Paperless-ngx';

/** @type {Record<string, string>} */
const KINDS = {
  tag: 'tag',
  correspondent: 'correspondent',
  'document type': 'document type',
  'storage path': 'storage path',
  'custom field': 'custom field',
};

/** @param {Facts} facts */
const named = ({ kind = 'custom field', name }) =>
  `${KINDS[kind.replace(/s$/, '')] ?? 'name'} “${name?.replaceAll('", "', '”, “')}”`;

/**
 * The text of each warning and delivery-failure code, for the person at the scanner.
 * @type {Record<string, (facts: Facts) => string>}
 */
export const said = {
  max_pages: (f) =>
    `The scan ended at its limit of ${f.max_pages} pages. Check whether sheets are left in the feeder.`,
  last_page_unfinished: () =>
    'The scanner did not finish its last page. Check that the last sheet is there.',
  odd_sides: (f) => `${f.pages} is an odd number of sides. Check that none is missing.`,
  one_page_only: () =>
    `Only one page was scanned: the profile does not say that the scanner has a feeder. ${OPERATOR}`,
  other_size: (f) =>
    `The paper is not the size that the profile names: ${pagesText(f.pages)}, ${f.size} instead of ${f.expected} mm. Check that nothing is cut off.`,
  paper_cut: (f) =>
    `The scanner is a little smaller than the paper: ${f.size} of ${f.paper} are on the page. Check that nothing is missing at the edges.`,
  area_unusable: (f) =>
    `The scanner cannot be told how large the paper is: ${pagesText(f.pages)}, ${f.size} instead of ${f.expected} mm. Check that nothing is cut off. ${OPERATOR}`,
  sheets_may_be_missing: (f) =>
    `${f.page === undefined ? 'Where the feeder stopped' : `After page ${f.page}`}, ${f.sheets === 1 ? 'a sheet' : `up to ${f.sheets} sheets`} may be missing. If all pages are here, all is well.`,
  not_examined: (f) => `A page could not be examined. ${kept(f)}`,
  not_straightened: (f) => `A page could not be straightened. ${kept(f)}`,
  not_cut_out: (f) => `A page could not be cut to its paper. ${kept(f)}`,
  not_turned: (f) => `A page could not be turned upright. ${kept(f)}`,
  not_bilevel: (f) => `A page could not be made black and white. ${kept(f)}`,
  codes_not_read: (f) => `Codes on page ${f.page} could not be read.`,
  codes_not_listed: (f) =>
    `Page ${f.page} has more codes than can be used: ${f.count} are left out.`,
  text_not_read: (f) =>
    `The text of page ${f.page} could not be read: a search will not find it. Scan it again if that matters.`,
  several_images: (f) => `Page ${f.page}: only the first of ${f.images} images was kept.`,
  more_warnings: (f) => `There are more notes about page ${f.page}.`,
  uncut: (f) =>
    `The scanner does not show where the paper ends: nothing was cut off ${pagesText(f.pages)}.`,
  dirty_glass: (f) =>
    `Streaks on ${pagesText(f.pages)}: wipe the scanner’s glass, ${f.places} mm from the left edge.`,
  dirty_front_glass: (f) =>
    `Streaks on ${pagesText(f.pages)}: wipe the glass of the front side, ${f.places} mm from the left edge.`,
  dirty_back_glass: (f) =>
    `Streaks on ${pagesText(f.pages)}: wipe the glass of the back side, ${f.places} mm from the left edge.`,
  nearly_blank: (f) => `Page ${f.page} is nearly blank. It was kept.`,
  nothing_follows: (f) =>
    `No page follows page ${f.page}, a separator sheet: what it says is not used.`,
  code_not_used: (f) => `The code “${f.text}” on page ${f.page} is not used.`,
  code_unknown: () => 'A separator sheet names something that Paperless-ngx does not have.',
  repeated_number: (f) =>
    `The document from page ${f.page} on has the number of an earlier one, ${f.number}. It was filed without it.`,
  no_number: () => `The title has no number, as the profile reads no codes. ${OPERATOR}`,
  low_confidence: (f) =>
    `The text is hard to read on ${pagesText(f.pages)}: a search may miss words, and amounts may be wrong. ${f.dpi === undefined ? 'Scan again if the page is pale, blurred or askew.' : 'Scan again at 300 dpi.'}`,
  no_text: (f) =>
    `No text was found on ${pagesText(f.pages)}: a search will not find it. That is right for a picture.`,
  print_not_read: (f) =>
    `On ${pagesText(f.pages)}, text ${f.where} was not read: a search will not find it. That is right for pictures and handwriting. Otherwise, scan again, flat and straight.`,
  card_too_large: () =>
    'The two sides do not fit on one page: each has a page of its own. Check that it is a card.',
  sides_differ: (f) =>
    `${parseInt(String(f.fronts), 10)} fronts and ${parseInt(String(f.backs), 10)} backs: the pages are in the order in which they were scanned.`,
  short_stack: () => 'The feeder stopped before it was empty: only what was scanned is filed.',
  remade: (f) => `${f.file} was damaged on the disk. It was made again from its pages.`,
  page_gone: (f) => `${f.file} is no longer on the disk, and is left out.`,
  page_not_whole: (f) => `${f.file} is damaged, and is left out.`,
  not_replaced: (f) =>
    `Page ${f.page} was being scanned again when the service stopped. ${f.file} is stored, and is not filed.`,
  still_stopping: () =>
    'The feeder was still stopping. Load this page again to see its last pages.',
  destination_down: (f) =>
    `Paperless-ngx may not accept documents right now (${f.system}). ${OPERATOR}`,
  serial_number_in_use: (f) =>
    `Document ${f.id} there has the number ${f.number} already: this one is filed without it.`,
  already_there: (f) => `It is there already, as number ${f.id}: it was not sent again.`,
  being_filed: () => 'It is waiting or being filed there: it was not sent again.',
  resend_failed: (f) => `It could not be sent to ${dms(f)} again, and nothing changed there.`,
  outcome_unknown: (f) =>
    `It is not known whether “${f.title ?? f.filename}” arrived. Look for it there; send it again only if it is missing.`,
  unreachable: (f) =>
    `${dms(f)} cannot be reached${own(f)}. Check that it is running, then send again.`,
  certificate: (f) => `The certificate of ${dms(f)} is not accepted. ${OPERATOR}`,
  wrong_address: (f) =>
    `${f.system ?? 'The address'} does not answer as Paperless-ngx does${own(f)}. ${OPERATOR}`,
  broken_off: (f) => `The connection broke off while it was sent${own(f)}. Check the network.`,
  no_answer: (f) => `${dms(f)} was sent it, and did not answer${own(f)}.`,
  file_unreadable: () => `The document could not be read from the disk. ${OPERATOR}`,
  log_in: (f) => `A log-in page stands before ${dms(f)}. ${OPERATOR}`,
  token: (f) => `The token of Paperless-ngx is missing or wrong${own(f)}. ${OPERATOR}`,
  permission: (f) => `The account there may not add documents${own(f)}. Allow it in Paperless-ngx.`,
  too_large: (f) =>
    `The document is too large (${f.megabytes} MB) to reach Paperless-ngx${own(f)}. ${OPERATOR}`,
  too_many: () => 'Paperless-ngx has too much to do. Send again later.',
  metadata: (f) =>
    `Paperless-ngx refused the title, the tags or a name${own(f)}. Correct the profile.`,
  system_failed: (f) => `Paperless-ngx failed${own(f)}. Check that it works, then send again.`,
  name_missing: (f) =>
    `There is no ${named(f)} there. Create what is missing, then send again.${f.near === undefined ? '' : ` Similar: ${f.near}.`}`,
  name_unusable: (f) => `The ${named(f)} cannot be used there. ${OPERATOR}`,
  deadline: () => 'The scan ran out of time. Send again.',
  not_begun: () => 'It has not been sent yet.',
  cut_off: () => 'The service was stopped while it was being sent.',
  left_system: (f) => `It went to ${f.systems} before, and is not sent twice. ${OPERATOR}`,
};
