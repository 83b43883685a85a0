import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { quietly, SetUpError, throwIfUnreachable } from './quietly.mjs';

/** npm writes it last, with what it has installed, and `npm ci` removes it first: an interrupted set-up leaves none. */
const INSTALLED = join('node_modules', '.package-lock.json');

/** npm waits up to a minute before it tries again, which is long where there is no network. */
const OPTIONS = [
  '--ignore-scripts',
  '--include=optional',
  '--loglevel=error',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
];

/** @typedef {{ version?: string, dev?: boolean, optional?: boolean, devOptional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} Package an entry of a lockfile */

/**
 * Whether node_modules of `folder` has what the lockfile demands on this kind of machine, whichever `npm ci` put it there.
 *
 * @param {string} folder
 * @param {{ development: boolean }} options whether development packages are required; they are accepted in any case
 */
export function isInstalled(folder, { development }) {
  return existsSync(join(folder, INSTALLED)) && leftOut(folder, development).length === 0;
}

/**
 * Installs exactly the packages in the lockfile of `folder`, without running their scripts, by the npm that started this run or the
 * npm on the PATH.
 *
 * @param {string} folder
 * @param {{ development: boolean, node?: string }} options `node` runs npm; that of this run where it is not given
 */
export function installFromLockfile(folder, { development, node = process.execPath }) {
  // Keeps development packages that an earlier run installed.
  const all = development || packagesIn(folder, INSTALLED).some(([, { dev }]) => dev);
  const path = process.env['npm_execpath'] ?? '';
  const npm = /npm-cli\.c?js$/.test(path) ? [node, path] : ['npm'];
  // The npm on the PATH looks there for its Node.
  const PATH = [...(node === process.execPath ? [] : [dirname(node)]), process.env['PATH']];
  const command = [...npm, 'ci', ...OPTIONS, all ? '--include=dev' : '--omit=dev'];
  const killable = ['--pdeathsig', 'TERM', '--', ...command];
  const env = { PATH: PATH.join(delimiter) };
  const { ok, ended, output } = quietly('setpriv', killable, { cwd: folder, env });
  if (!ok) {
    throwIfUnreachable(output, 'The npm registry');
    throw new SetUpError(`npm ci failed in ${folder} (${ended}):\n\n${output}`);
  }
  // npm reports success even if it could not fetch an optional package, such as a binary for this machine.
  const missing = leftOut(folder, all).map((name) => name.replace(/^.*node_modules\//, ''));
  if (missing.length === 0) return;
  throw new SetUpError(
    `npm left out ${missing.join(', ')}, which this machine needs. Check that the npm registry can be reached (npm ping), ` +
      'empty the cache (npm cache clean --force), then try again.',
  );
}

/**
 * The Node to run npm with: that of this run, unless it is too old for a package, which needs `^20.19.0 || >=22.12.0` at most: npm
 * leaves such a binary out without a word. Debian's npm runs only on Debian's Node, which is new enough.
 *
 * @param {string} version of this run's Node
 * @param {{ own: string, pinned: string }} programs
 */
export function nodeForNpm(version, { own, pinned }) {
  return /^(?:20\.1?\d\.|21\.|22\.(?:\d|1[01])\.)(?<!^20\.19\.)/.test(version) ? pinned : own;
}

/**
 * Paths of the packages that this machine needs and node_modules lacks, or has in another version. Of the optional packages, it
 * needs the binaries for its kind only.
 *
 * @param {string} folder
 * @param {boolean} development
 */
function leftOut(folder, development) {
  const installed = new Map(packagesIn(folder, INSTALLED));
  // As the lockfile calls it. Node makes a whole report for that, which takes some milliseconds.
  const report = /** @type {{ header: object }} */ (process.report.getReport());
  const own = 'glibcVersionRuntime' in report.header ? 'glibc' : 'musl';
  return packagesIn(folder, 'package-lock.json')
    .filter(([path, { version, dev, optional, devOptional, os, cpu, libc = [own] }]) => {
      if (path === '' || (dev && !development)) return false;
      const isForUs =
        os?.includes(process.platform) && cpu?.includes(process.arch) && libc.includes(own);
      if ((optional || devOptional) && !isForUs) return false;
      return installed.get(path)?.version !== version || !existsSync(join(folder, path));
    })
    .map(([path]) => path);
}

/**
 * @param {string} folder
 * @param {string} lockfile
 * @returns {[path: string, entry: Package][]}
 */
function packagesIn(folder, lockfile) {
  try {
    return Object.entries(JSON.parse(readFileSync(join(folder, lockfile), 'utf8')).packages ?? {});
  } catch {
    return [];
  }
}
