import { existsSync, readFileSync, rmSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { throwIfKnown } from './causes.mjs';
import { quietly, SetUpError } from './quietly.mjs';

/** npm writes this file last and removes it first, so an interrupted installation has none. */
const INSTALLED = join('node_modules', '.package-lock.json');

/** npm's default wait of up to a minute before a retry is too long without a network. */
const OPTIONS = [
  '--ignore-scripts',
  '--include=optional',
  '--loglevel=warn',
  '--no-audit',
  '--no-fund',
  '--no-update-notifier',
  '--fetch-retry-mintimeout=1000',
  '--fetch-retry-maxtimeout=5000',
];

const REGISTRY = 'The npm registry';

/** npm failed to write a file. ENOENT is harmless: npm removes packages that it omits. */
const NOT_WRITTEN = /TAR_ENTRY_ERROR (?!ENOENT)/;

/** @typedef {{ version?: string, dev?: boolean, optional?: boolean, devOptional?: boolean, os?: string[], cpu?: string[], libc?: string[] }} Package an entry of a lockfile */

/**
 * True if node_modules in `folder` has everything that the lockfile requires on this machine.
 * @param {string} folder
 * @param {{ development: boolean }} options `development`: also require development packages
 */
export function isInstalled(folder, { development }) {
  return existsSync(join(folder, INSTALLED)) && leftOut(folder, development).length === 0;
}

/**
 * Installs the packages of the lockfile in `folder`, without running their scripts. Uses the npm
 * that started this process, or else the npm on the PATH.
 * @param {string} folder
 * @param {{ development: boolean, node?: string }} options `node`: the Node that runs npm; defaults to this one
 */
export function installFromLockfile(folder, { development, node = process.execPath }) {
  // Keeps development packages that an earlier run installed.
  const all = development || packagesIn(folder, INSTALLED).some(([, { dev }]) => dev);
  const path = process.env['npm_execpath'] ?? '';
  const npm = /npm-cli\.c?js$/.test(path) ? [node, path] : ['npm'];
  // The npm on the PATH takes its Node from the PATH too.
  const PATH = [...(node === process.execPath ? [] : [dirname(node)]), process.env['PATH']];
  const env = { PATH: PATH.join(delimiter) };
  const run = (/** @type {string} */ command, /** @type {string} */ last) => {
    const args = ['--pdeathsig', 'TERM', '--', ...npm, ...command.split(' '), ...OPTIONS, last];
    return quietly('setpriv', args, { cwd: folder, env });
  };
  const { ok, ended, output } = run('ci', all ? '--include=dev' : '--omit=dev');
  if (!ok) {
    throwIfKnown(output, REGISTRY);
    throw new SetUpError(`npm ci failed in ${folder} (${ended}):\n\n${output}`);
  }
  // npm succeeds even if it could not write a file or fetch an optional package.
  if (NOT_WRITTEN.test(output)) {
    rmSync(join(folder, INSTALLED), { force: true });
    throwIfKnown(output, REGISTRY);
    throw new SetUpError(`npm ci could not write all files in ${folder}:\n\n${output}`);
  }
  const missing = leftOut(folder, all);
  const [first] = missing;
  if (first === undefined) return;
  // npm explains why it omitted a package only when asked for that package alone.
  const alone = run('cache add', specifierOf(folder, first));
  if (!alone.ok) throwIfKnown(alone.output, REGISTRY);
  throw new SetUpError(
    `npm left out ${missing.map(nameOf).join(', ')}, which this machine needs. Check that the npm registry can be reached ` +
      `(npm ping), empty the cache (npm cache clean --force), then try again.${alone.ok ? '' : `\n\n${alone.output}`}`,
  );
}

/** @param {string} path of a package in a lockfile */
function nameOf(path) {
  return path.replace(/^.*node_modules\//, '');
}

/**
 * @param {string} folder
 * @param {string} path
 */
function specifierOf(folder, path) {
  const entry = new Map(packagesIn(folder, 'package-lock.json')).get(path);
  return `${nameOf(path)}@${entry?.version}`;
}

/**
 * Chooses the Node that runs npm: this one, or the pinned one if a package needs a newer Node (at
 * most `^20.19.0 || >=22.12.0`), since npm silently omits such packages. Debian's npm runs only on
 * Debian's Node, which is new enough.
 * @param {string} version of this run's Node
 * @param {{ own: string, pinned: string }} programs
 */
export function nodeForNpm(version, { own, pinned }) {
  return /^(?:20\.1?\d\.|21\.|22\.(?:\d|1[01])\.)(?<!^20\.19\.)/.test(version) ? pinned : own;
}

/**
 * Paths of the packages that this machine needs but node_modules lacks, or has in another version.
 * An optional package counts only if it is the binary for this platform.
 * @param {string} folder
 * @param {boolean} development
 */
function leftOut(folder, development) {
  const installed = new Map(packagesIn(folder, INSTALLED));
  // The platform, in the terms of lockfiles.
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
