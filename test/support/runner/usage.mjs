/**
 * Shown by `npm test -- --help` before anything is installed, so this file must run on any Node.
 */
export const USAGE = `Usage: npm test -- [options] [part of a path ...]

Runs the test files whose path contains one of the words, or all but those of test/fault.

  --fast    skip what is slow: real OCR, browsers, whole appliances
  --jobs N  run N files at the same time (4)
  --help    show this help`;
