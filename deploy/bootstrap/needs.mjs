/**
 * What each program that package.json starts needs from the machine. On machines without dpkg, a package counts as installed if
 * its `program` is on the PATH; packages without one are not checked there.
 *
 * @typedef {{ package: string, program?: string }} DebianPackage
 * @typedef {{ packages: readonly DebianPackage[], unpacked?: readonly DebianPackage[], development: boolean, settings?: boolean, usage?: string }} Needs
 *   `unpacked`: only their programs are needed, and installing them would start a service; `settings`: reads `.env`, as the containers
 *   do; `usage`: a module whose `USAGE` answers `--help`, so that nothing is installed for it
 */

/** @type {readonly DebianPackage[]} */
const SCANNING = [{ package: 'sane-utils', program: 'scanimage' }, { package: 'sane-airscan' }];

/** @type {readonly DebianPackage[]} */
const RECOGNITION = [
  { package: 'ocrmypdf', program: 'ocrmypdf' },
  { package: 'tesseract-ocr', program: 'tesseract' },
  { package: 'tesseract-ocr-eng' },
  { package: 'qpdf', program: 'qpdf' },
  { package: 'python3-tesserocr', program: 'python3' },
  { package: 'python3-pikepdf' },
  { package: 'python3-pil' },
  { package: 'python3-numpy' },
];

/** @type {readonly DebianPackage[]} reads the text of finished PDFs and renders their pages */
const READING = [{ package: 'poppler-utils', program: 'pdftotext' }];

/** @type {readonly DebianPackage[]} the fonts of the pages that are hard to read, and the languages of some of them */
const HARD_PAGES = [
  { package: 'fonts-urw-base35' },
  { package: 'fonts-dejavu-core' },
  ...['deu', 'fra', 'pol', 'ell', 'ces', 'rus', 'heb'].map((language) => ({
    package: `tesseract-ocr-${language}`,
  })),
];

/** @type {readonly DebianPackage[]} an independent PDF/A validator and its dependencies */
const VALIDATION = [
  { package: 'default-jre-headless', program: 'java' },
  { package: 'libpdfbox2-java' },
  { package: 'libjaxb-api-java' },
  { package: 'libactivation-java' },
];

/**
 * For the alerts in deploy/monitoring. The service of Prometheus would listen on all interfaces. Debian 12 has promtool in the
 * package of Prometheus.
 *
 * @type {readonly DebianPackage[]}
 */
const MONITORING = [
  { package: 'prometheus', program: 'prometheus' },
  { package: 'promtool', program: 'promtool' },
];

/** @type {DebianPackage} renders the templates of Home Assistant */
const TEMPLATES = { package: 'python3-jinja2', program: 'python3' };

/** @type {DebianPackage} makes the certificates of tests */
const OPENSSL = { package: 'openssl', program: 'openssl' };

/** @type {DebianPackage} for the examples of the README */
const CURL = { package: 'curl', program: 'curl' };

/** @type {readonly DebianPackage[]} shows the control page to its tests */
const BROWSING = [{ package: 'chromium-headless-shell', program: 'chromium-headless-shell' }];

/** @type {DebianPackage} `setpriv`, `flock` and `setsid`, with which set-ups and programs are started: every Debian and most Linux have it */
const STARTING = { package: 'util-linux', program: 'setpriv' };

const EVERYTHING = [...SCANNING, ...RECOGNITION, ...READING, CURL];

/** @type {Readonly<Record<string, Needs>>} */
const NEEDS = {
  'deploy/terminal/main.ts': { packages: [], development: false, settings: true },
  'deploy/separator-sheets/main.ts': { packages: [], development: false },
  'deploy/prune/main.ts': { packages: [], development: false, settings: true },
  'service/main.ts': { packages: [], development: false, settings: true },
  'deploy/terminal/doctor.ts': { packages: [], development: false, settings: true },
  'helpers/scanner/main.ts': { packages: SCANNING, development: false, settings: true },
  'helpers/processor/main.ts': { packages: RECOGNITION, development: false, settings: true },
  'deploy/setup/main.ts': {
    packages: [...SCANNING, ...RECOGNITION],
    development: false,
    settings: true,
  },
  'deploy/demo/main.ts': { packages: EVERYTHING, development: true },
  'test/run.ts': {
    packages: [...EVERYTHING, ...BROWSING, ...VALIDATION, TEMPLATES, OPENSSL],
    unpacked: MONITORING,
    development: true,
    usage: 'test/support/runner/usage.mjs',
  },
  'test/bench/main.ts': {
    packages: [...EVERYTHING, { package: 'img2pdf', program: 'img2pdf' }],
    development: true,
  },
  'test/bench/hard-pages/main.ts': {
    packages: [...RECOGNITION, ...READING, ...HARD_PAGES],
    development: true,
  },
  'test/check.ts': { packages: [], development: true },
  // The tests that it asks are those of folders, not of browsers.
  'test/mutation/main.ts': { packages: EVERYTHING, development: true },
  // Starts a container engine itself; everything else is in the images.
  'test/arm64/run.ts': { packages: [], development: true },
  'test/debian/run.ts': { packages: [], development: true },
  'test/systemd/run.ts': { packages: [], development: true },
  // The scanner and its drivers are in the emulated machine; recognition is not.
  'test/usb/run.ts': { packages: [...RECOGNITION, ...READING], development: true },
  'test/compose/run.ts': { packages: READING, development: true },
};

/**
 * @param {string} target path of a program, relative to the checkout
 * @returns {Needs & { unpacked: readonly DebianPackage[] }}
 */
export function needsOf(target) {
  const needs = new Map(Object.entries(NEEDS)).get(target);
  if (needs !== undefined)
    return { unpacked: [], ...needs, packages: [...needs.packages, STARTING] };
  const known = Object.keys(NEEDS).join(', ');
  throw new Error(
    `No set-up is known for "${target}". Known are: ${known} (deploy/bootstrap/needs.mjs).`,
  );
}
