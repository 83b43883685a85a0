/** The texts of profiles in the settings. */
export const profileWords = {
  title: 'Profiles',
  lead: 'A profile is what a button does: how it scans, and where the documents go.',
  add: 'New profile',
  newTitle: 'New profile',
  full: 'No more profiles can be stored. Remove one first.',
  shipped: 'Comes with the service',
  changed: 'Written here',
  fixed: (/** @type {string} */ file) => `Written on the machine, in ${file}. Change it there.`,
  hidden: 'This file has more than can be shown here. Saving replaces it.',
  broken: 'Not in use:',
  replaces: 'The one that comes with the service stays: it counts again if you remove yours.',

  label: 'Name',
  labelMissing: 'Enter a name.',
  scan: 'How it scans',
  source: 'Where the paper is',
  scannerDecides: 'As the scanner decides',
  scannerSilent: 'The scanner does not answer now, so all settings are shown.',
  mode: 'Color',
  resolution: 'Quality',
  paper: 'Paper',
  documents: 'How it becomes documents',
  grouping: 'Documents',
  blank: 'Blank pages',
  /** @type {Record<string, string>} */
  blanks: {
    none: 'Keep all pages',
    backs: 'Leave out blank backs',
    all: 'Leave out all blank pages',
  },
  languages: 'Languages of the text',
  languagesHint: (/** @type {string} */ names) =>
    `With none chosen, those of the appliance${names && `: ${names}`}.`,
  documentTitle: 'Title of the documents',
  documentTitleHint:
    'Text, and {first_line} (first line of the page), {label}, {date}, {time}, {n} (number).',
  destination: 'Where the documents go',
  dms: 'Paperless-ngx',
  dmsMissing: 'Not set up yet',
  folder: 'Only on the machine',
  folderHint: 'The PDF files stay in its directory of scans, and can be opened on this page.',
  tags: 'Tags',
  tagsHint: 'As in Paperless-ngx, separated by commas.',
  createMissing: 'Create tags that Paperless-ngx does not have yet',
  noTag: (/** @type {string} */ name) =>
    `There is no tag “${name}” in Paperless-ngx. Choose an existing one, or tick the box below.`,
  trigger: 'Start at the scanner',
  /** @type {Record<string, string>} */
  triggers: {
    none: 'No, only on this page',
    button: 'With a button of the scanner',
    paper: 'When paper is put into the feeder',
  },
  button: 'Name of the button',
  buttonHint: 'As the driver calls it, usually: scan',
  function: 'Function number',
  functionHint: 'On the display of the scanner, 0 to 99. Leave it empty for any.',
  stale: 'Someone else changed this profile meanwhile. Save again to replace it with yours.',
  remove: 'Remove this profile',
  removed: (/** @type {string} */ label) => `Removed: ${label}`,
  /**
   * What a field must be, if the service's own sentence cannot be shown.
   * @type {Record<string, string>}
   */
  rules: {
    'processing.languages':
      'One of these languages is not installed. “Languages and time zone” says what to do.',
  },
};
