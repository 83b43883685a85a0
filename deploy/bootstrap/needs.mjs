import { debianRelease } from './debian-release.mjs';

/**
 * What each program in package.json needs from the machine. Without dpkg, a package counts as
 * installed if its `program` is on the PATH; packages without one are not checked.
 *
 * @typedef {{ package: string, program?: string, since?: number }} DebianPackage `since`: the first
 *   release of Debian that has the package; it is optional elsewhere
 * @typedef {{ packages: readonly DebianPackage[], unpacked?: readonly DebianPackage[], development: boolean, settings?: boolean, usage?: string }} Needs
 *   `unpacked`: packages whose programs are needed without their service; `settings`: reads `.env`,
 * like the containers; `usage`: a module whose `USAGE` answers `--help`, so that help installs
 * nothing
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

/** @type {DebianPackage} reads doubtful words of receipts again (word_reader.py) */
const RECEIPTS = { package: 'python3-onnxruntime', since: 13 };

/** @type {readonly DebianPackage[]} extract the text of PDFs and render their pages */
const READING = [{ package: 'poppler-utils', program: 'pdftotext' }];

/** @type {readonly DebianPackage[]} fonts and languages of the pages that are hard to read */
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
 * For testing the alerts of deploy/monitoring. Only unpacked, since an installed Prometheus would
 * listen on all interfaces. On Debian 12, promtool is part of the package prometheus.
 * @type {readonly DebianPackage[]}
 */
const MONITORING = [
  { package: 'prometheus', program: 'prometheus' },
  { package: 'promtool', program: 'promtool' },
];

/** @type {DebianPackage} renders Home Assistant templates */
const TEMPLATES = { package: 'python3-jinja2', program: 'python3' };

/** @type {DebianPackage} creates test certificates */
const OPENSSL = { package: 'openssl', program: 'openssl' };

/** @type {DebianPackage} for the examples in the README */
const CURL = { package: 'curl', program: 'curl' };

/** @type {readonly DebianPackage[]} for tests of the control page */
const BROWSING = [{ package: 'chromium-headless-shell', program: 'chromium-headless-shell' }];

/** @type {DebianPackage} `setpriv`, `flock` and `setsid`, used to start programs. Part of Debian and most other distributions. */
const STARTING = { package: 'util-linux', program: 'setpriv' };

const EVERYTHING = [...SCANNING, ...RECOGNITION, RECEIPTS, ...READING, CURL];

/** @type {Readonly<Record<string, Needs>>} */
const NEEDS = {
  'deploy/terminal/main.ts': { packages: [], development: false, settings: true },
  'deploy/separator-sheets/main.ts': { packages: [], development: false },
  'deploy/prune/main.ts': { packages: [], development: false, settings: true },
  'deploy/setup/operator-password.ts': { packages: [], development: false, settings: true },
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
    packages: [...RECOGNITION, RECEIPTS, ...READING, ...HARD_PAGES],
    development: true,
  },
  'test/check.ts': { packages: [], development: true },
  'test/mutation/main.ts': { packages: EVERYTHING, development: true },
  'test/arm64/run.ts': { packages: [], development: true },
  'test/debian/run.ts': { packages: [], development: true },
  'test/systemd/run.ts': { packages: [], development: true },
  // The emulated machine has the scanner and its drivers, but no OCR.
  'test/usb/run.ts': { packages: [...RECOGNITION, ...READING], development: true },
  'test/compose/run.ts': { packages: READING, development: true },
};

/**
 * @param {string} target path of a program in the checkout
 * @param {number} [release] of Debian
 * @returns {Needs & { unpacked: readonly DebianPackage[] }}
 */
export function needsOf(target, release = debianRelease()) {
  const needs = new Map(Object.entries(NEEDS)).get(target);
  if (needs !== undefined) {
    const packages = [...needs.packages, STARTING].filter(
      ({ since = 0 }) => (release ?? 0) >= since,
    );
    return { unpacked: [], ...needs, packages };
  }
  const known = Object.keys(NEEDS).join(', ');
  throw new Error(
    `No set-up is known for "${target}". Known are: ${known} (deploy/bootstrap/needs.mjs).`,
  );
}
