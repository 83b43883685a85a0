/** @typedef {import('../set-up/types.d.ts').StepId} StepId */

/** The commands that set a new operator password. */
const SYSTEMD = 'cd /opt/scan-service && npm run operator-password';
const COMPOSE = 'docker compose exec service node deploy/setup/operator-password.ts';
const COMMAND = `with systemd \`${SYSTEMD}\`, with Docker \`${COMPOSE}\``;

/** The texts of the set-up and of the settings. */
export const words = {
  title: 'Set-up',
  settings: 'Settings',
  place: (/** @type {number} */ at, /** @type {number} */ of) => `Step ${at} of ${of}`,
  next: 'Continue',
  back: 'Back',
  later: 'Do this later',
  save: 'Save',
  start: 'Start scanning',
  again: 'Try again',
  checking: 'Checking …',
  busy: 'Checking …',
  checkAgain: 'Check again',
  toDo: 'To be done',
  show: 'Show',
  hide: 'Hide',
  reveal: (/** @type {string} */ label) => `Show: ${label}`,
  conceal: (/** @type {string} */ label) => `Hide: ${label}`,
  choose: 'Choose …',
  fixedBy: (/** @type {string} */ name) =>
    `This is fixed on the machine, by ${name}. It can be changed there only.`,
  fixedShort: (/** @type {string} */ name) => `fixed by ${name}`,
  /** @type {Record<string, string>} */
  problems: {
    not_found: 'Set-up in the browser is switched off. On the machine: npm run setup.',
    unreachable:
      'The appliance does not answer. It may be restarting: wait a minute, then try again.',
    unauthorized: 'You were logged out. Load this page again and enter the operator password.',
    too_many_requests: 'That was tried too often. Wait a minute, then try again.',
    insufficient_storage:
      'The service could not store this: its directory for settings is full or cannot be written. On the machine: npm run doctor.',
  },
  closed: {
    closed:
      'Settings cannot be changed here yet: this appliance was set up on the machine, and has no operator password.',
    unreadable:
      'Settings cannot be changed here: the operator password of this appliance cannot be read.',
  },
  closedRemedy: 'One command on the machine, as root, makes a new operator password and shows it:',
  closedCommands: [
    ['With systemd', SYSTEMD],
    ['With Docker Compose, in its directory', COMPOSE],
  ],
  closedThen: 'Then check again, and log in with that password.',

  /** @type {Record<StepId | 'profiles', string>} */
  steps: {
    scanner: 'Scanner',
    paperless: 'Paperless-ngx',
    languages: 'Languages and time zone',
    buttons: 'Buttons',
    profiles: 'Profiles',
    house: 'Who may scan',
    test: 'Test scan',
  },

  operator: 'scan settings',
  claimTitle: 'Welcome',
  claimLead:
    'In a few steps, paper becomes searchable documents. First choose an operator password, for the person who looks after this appliance. Whoever has it can change these settings.',
  password: 'Operator password',
  newPassword: 'New operator password',
  oldPassword: 'Current operator password',
  passwordHint: (/** @type {number} */ length) =>
    `At least ${length} characters. Keep it in a safe place: it is not the password for scanning.`,
  passwordShort: (/** @type {number} */ length) =>
    `This is too short: use ${length} characters or more.`,
  passwordLost: `If it is lost, the person who looks after the machine can set a new one there: ${COMMAND}.`,
  wrongPassword: 'That is not the operator password.',
  logInTitle: 'Enter the operator password',
  logInLead: 'It was chosen when this appliance was set up, and protects its settings.',
  logInChanged:
    'The operator password was changed after you logged in on this device. Enter the new one.',
  claimedElsewhere:
    'Another device was faster and set up its own operator password. Yours was not stored: enter the one chosen there.',
  logIn: 'Log in',
  logOut: 'Log out',
  changeTitle: 'Change the operator password',
  changeLead: 'This will log out every other device.',
  changed: 'The operator password was changed. Every other device was logged out.',
  saved: (/** @type {string} */ title) => `Saved: ${title}`,

  /** @type {Record<'feeder' | 'both_sides' | 'glass', string>} */
  kinds: { feeder: 'feeder', both_sides: 'both sides', glass: 'glass' },
  scannerLead: 'Switch the scanner on. It can be in your network or at a USB port of the machine.',
  scannerIs: (/** @type {string} */ name, /** @type {string} */ kinds) =>
    `Chosen: ${name}${kinds && ` (${kinds})`}`,
  chosen: 'Chosen before',
  scannerSilent: 'Does not answer. Is it switched on?',
  searching: 'Looking for scanners. This takes up to half a minute.',
  found: 'Scanners that were found',
  noneFound:
    'No scanner was found. Switch it on, wait a minute and look again. The address of a network scanner is on its display or in your router.',
  lookAgain: 'Look again',
  otherScanner: 'Another scanner, by its address',
  scannerAddress: 'Address of the scanner',
  scannerAddressHint: 'Such as 192.168.1.50',
  upTo: (/** @type {number} */ dpi) => `up to ${dpi} dpi`,

  paperlessLead: 'Scanned documents are filed there.',
  paperlessIs: (/** @type {string} */ address) => `Connected: ${address}`,
  paperlessAnswers: 'Paperless-ngx answers there.',
  address: 'Address',
  addressHint: 'As in your browser, such as 192.168.1.10:8000',
  addressMissing: 'Enter the address.',
  addressFails: 'This address does not work yet.',
  addressSilent: 'Nothing answers there. Is the port right (usually 8000)?',
  account: 'Log in with',
  byLogin: 'User and password',
  byToken: 'Token',
  user: 'User',
  userMissing: 'Enter the user.',
  accountPassword: 'Password',
  accountPasswordMissing: 'Enter the password.',
  accountHint: 'Used once to get a token. The password is not stored.',
  token: 'Token',
  tokenHint: 'In Paperless-ngx under My Profile: 40 letters and digits.',
  tokenMissing: 'Enter the token.',
  code: 'Code of the authenticator app',
  codeHint: 'Six digits',
  codeNeeded: 'This account needs a code as well. Enter the one that your authenticator app shows.',
  certificate:
    'A certificate of your own has to be made known to this appliance: save it as ca.pem on the machine and set NODE_EXTRA_CA_CERTS. In your own network, an address that begins with http:// works without one, if Paperless-ngx has it.',

  languagesLead: 'The languages of your documents. Each further language makes reading slower.',
  languages: 'Languages',
  languageMissing: 'Choose at least one language.',
  otherLanguage: 'Another language',
  otherLanguageHint:
    'These have to be installed on the machine first. The command is shown when your choice is saved.',
  notInstalled: (/** @type {string} */ name) => `${name} (not installed)`,
  languagesSaved: 'Your choice is saved.',
  timeZone: 'Time zone',
  timeZoneHint: 'For the date and time of your scans.',
  /** @type {Record<string, string>} */
  regions: { Indian: 'Indian Ocean' },

  buttonsLead: 'What do you scan? Each of these becomes a button on the page.',
  alwaysShown: 'Always there',
  unfitDefault: (/** @type {string} */ label) =>
    `“${label}” is always on the page, but your scanner cannot do it.`,
  changeProfile: 'Change how it scans',
  unfit: (/** @type {string} */ labels) => `Your scanner cannot do these: ${labels}.`,
  ownProfiles: (/** @type {string} */ names) =>
    `These profiles were written on the machine and stay as they are: ${names}.`,
  buttonsShown: (/** @type {number} */ count) => `${count} ${count === 1 ? 'button' : 'buttons'}`,

  houseLead: 'Everyone in your network can open this page. Who may scan and read the scans?',
  housePasswordChoice: 'Whoever knows a password',
  housePasswordMeans: 'Each phone asks for it once. Share it with everyone at home.',
  houseOpen: 'Everyone in the network',
  houseOpenMeans: 'Nobody is asked. Guests can scan too, and read everything that was scanned.',
  housePassword: 'Password for scanning',
  newHousePassword: 'New password for scanning',
  housePasswordHint: 'At least 8 letters, digits or symbols, without spaces or umlauts.',
  housePasswordSet:
    'A password is set. Leave this field empty to keep it. After a change, each phone must enter the new one.',
  housePasswordSaved: 'The password for scanning is saved. Each phone now asks for it once.',
  housePasswordWith: (/** @type {string} */ character) =>
    character === ' '
      ? 'A space cannot be used in this password.'
      : `“${character}” cannot be used in this password.`,
  housePasswordNeeded: 'Enter the password for scanning, then scan.',
  housePasswordWrong: 'That is not the password for scanning.',

  testLead:
    'Put a page into the feeder of the scanner, or onto its glass. It is filed in Paperless-ngx with the title “Test scan”.',
  testTitle: 'Test scan',
  testNow: 'Scan',
  testRunning: 'Test scan is running …',
  testAgain: 'Scan once more',
  testGood: (/** @type {number} */ pages) =>
    `It works: ${pages > 1 ? `${pages} pages were` : 'the page was'} scanned and filed.`,
  testKept: (/** @type {number} */ pages) =>
    `It works: ${pages > 1 ? `${pages} pages were` : 'the page was'} scanned. As its profile says, the document stays on the machine.`,
  testPartly: (/** @type {number} */ pages) =>
    `${pages > 1 ? `${pages} pages were` : 'The page was'} scanned, but not filed.`,
  finish: 'Finish',
  scannerOff: 'The scanner does not answer',
  testLook: 'See this scan',
  testShort: 'Scan a page and file it',

  doneTitle: 'Everything is ready',
  doneLead:
    'Put paper into the scanner and press a button. These settings stay behind “Settings” on the page, with the operator password.',
  doneTitlePartly: 'Almost ready',
  doneLeadPartly: 'These steps are left. You can do them now, or later behind “Settings”.',
  selfTest: 'All checks',
  profilesShort: 'How each button scans, and where its documents go',
  checkedAt: (/** @type {string} */ time, /** @type {number} */ problems) =>
    `Checked ${time}: ${problems === 0 ? 'no problems' : problems === 1 ? '1 problem' : `${problems} problems`}`,
  checkedAgo: (/** @type {string} */ age, /** @type {string} */ state) =>
    `Checked ${age}: ${state}`,
  justNow: 'just now',
  notChecked: 'not checked',
  moreProblems: (/** @type {number} */ count) => `(and ${count} more)`,
  /** @type {Record<string, string>} */
  fine: {
    scanner: 'answers',
    paperless: 'answers and takes documents',
    languages: 'installed',
    profiles: 'no mistakes',
    house: 'in order',
    test: 'there is room for scans',
  },
};
