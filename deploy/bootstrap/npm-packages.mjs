import { existsSync, readFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { networkProblem, RESOLVER } from './network.mjs';
import { SetUpError } from './set-up-error.mjs';

/** npm writes it last, with what it has installed, and `npm ci` removes it first: an interrupted set-up leaves none. */
const INSTALLED = join('node_modules', '.package-lock.json');

/**
 * @typedef {{ version?: string, dev?: boolean, optional?: boolean, devOptional?: boolean }} Kind
 * @typedef {Kind & { os?: string[], cpu?: string[], libc?: string[] }} Package an entry of a lockfile
 */

/**
 * Whether node_modules of `folder` has what the lockfile demands on this kind of machine, whichever `npm ci` put it there.
 *
 * @param {string} folder
 * @param {{ development: boolean }} options whether development packages are required; they are accepted in any case
 */
export function isInstalled(folder, options) {
  return existsSync(join(folder, INSTALLED)) && leftOut(folder, options).length === 0;
}

/**
 * Installs exactly the packages in the lockfile of `folder`, without running their scripts.
 *
 * @param {string} folder
 * @param {{ development: boolean, node?: string }} options `node` runs npm; that of this run where it is not given
 * @param {import('./programs.mjs').Programs} programs
 */
export async function installFromLockfile(
  folder,
  { development, node = process.execPath },
  programs,
) {
  // Keeps development packages that an earlier run installed.
  const all = development || packagesIn(folder, INSTALLED).some(([, { dev }]) => dev);
  const npm = npmOf(folder, node, programs);
  await npmCi(npm, all, { folder, programs });
  // npm reports success even if it could not fetch an optional package, such as a binary for this machine.
  if (programs.stoppedBy === undefined && leftOut(folder, { development: all }).length > 0) {
    throwIfUnreachable((await npm(['ping', '--fetch-retries=0'])).output);
    if (programs.stoppedBy === undefined) await npmCi(npm, all, { folder, programs });
  }
  if (programs.stoppedBy !== undefined) return;
  const missing = leftOut(folder, { development: all }).map(nameOf);
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
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const isOld = (major === 20 && minor < 19) || major === 21 || (major === 22 && minor < 12);
  return isOld ? pinned : own;
}

/**
 * @param {ReturnType<typeof npmOf>} npm
 * @param {boolean} all whether development packages are wanted
 * @param {{ folder: string, programs: import('./programs.mjs').Programs }} run
 */
async function npmCi(npm, all, { folder, programs }) {
  const kind = all ? '--include=dev' : '--omit=dev';
  const ended = await npm(['ci', '--ignore-scripts', '--include=optional', kind]);
  if (programs.stoppedBy !== undefined || ended.code === 0) return;
  throwIfUnreachable(ended.output);
  throw new SetUpError(
    `npm ci failed in ${folder} (exit code ${ended.code}):\n\n${ended.output.trim()}`,
  );
}

/** @param {string} output of npm */
function throwIfUnreachable(output) {
  const problem = networkProblem(output, 'The npm registry');
  if (problem !== undefined) throw new SetUpError(problem);
}

/**
 * Runs commands of the npm that started this run, or of the npm on the PATH, with `node`.
 *
 * @param {string} folder
 * @param {string} node
 * @param {import('./programs.mjs').Programs} programs
 */
function npmOf(folder, node, programs) {
  const path = process.env['npm_execpath'];
  const isNpm = path !== undefined && /npm-cli\.c?js$/.test(path);
  const [file, before] = isNpm ? [node, [path]] : ['npm', []];
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--no-update-notifier'];
  // npm waits up to a minute before it tries again, which is long where there is no network.
  const soon = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
  // The npm on the PATH looks there for its Node.
  const PATH = [...(node === process.execPath ? [] : [dirname(node)]), process.env['PATH']];
  const env = { ...process.env, ...RESOLVER, PATH: PATH.join(delimiter) };
  return (/** @type {readonly string[]} */ command) =>
    programs.quietly(file, [...before, ...command, ...quiet, ...soon], { cwd: folder, env });
}

/**
 * Paths of the packages that this machine needs and node_modules lacks, or has in another version.
 *
 * @param {string} folder
 * @param {{ development: boolean }} options
 */
function leftOut(folder, { development }) {
  const installed = new Map(packagesIn(folder, INSTALLED));
  const libc = ownLibc();
  return packagesIn(folder, 'package-lock.json')
    .filter(
      ([path, wanted]) => path !== '' && (development || !wanted.dev) && isNeeded(libc, wanted),
    )
    .filter(([path, { version }]) => {
      return installed.get(path)?.version !== version || !existsSync(join(folder, path));
    })
    .map(([path]) => path);
}

/**
 * Of the optional packages, only binaries for this kind of machine.
 *
 * @param {string} own C library of this machine
 * @param {Package} wanted
 */
function isNeeded(own, { optional, devOptional, os = [], cpu = [], libc = [own] }) {
  if (!optional && !devOptional) return true;
  return os.includes(process.platform) && cpu.includes(process.arch) && libc.includes(own);
}

/** As the lockfile calls it. Node makes a whole report for that, which takes some milliseconds. */
function ownLibc() {
  const report = /** @type {{ header: object }} */ (process.report.getReport());
  return 'glibcVersionRuntime' in report.header ? 'glibc' : 'musl';
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

/** @param {string} path such as node_modules/@img/sharp-linux-x64 */
function nameOf(path) {
  return path.replace(/^.*node_modules\//, '');
}
