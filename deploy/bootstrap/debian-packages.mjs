import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { throwIfKnown } from './causes.mjs';
import { quietly, SetUpError } from './quietly.mjs';

const INSTALL = ['install', '--yes', '--no-install-recommends'];

/** apt-get waits 5 minutes for another package manager. Mirrors that work respond within 15 s. */
const OPTIONS = [
  'DPkg::Lock::Timeout=300',
  'Acquire::Retries=1',
  'Acquire::http::Timeout=15',
  'Acquire::https::Timeout=15',
].flatMap((setting) => ['-o', setting]);

/**
 * @param {{ packages: readonly import('./needs.mjs').DebianPackage[], unpacked: readonly import('./needs.mjs').DebianPackage[] }} needs
 * @returns {string[]}
 */
export function missingPackages({ packages, unpacked }) {
  if (!onPath('dpkg-query')) return withoutDpkg([...packages, ...unpacked]);
  const names = packages.map((wanted) => wanted.package);
  const format = '--showformat=${db:Status-Status} ${Package}\n';
  // dpkg-query exits with 1 if a package is unknown, but lists the others.
  const { output } = quietly('dpkg-query', ['--show', format, ...names], {});
  const lines = new Set(output.split('\n'));
  return names.filter((name) => !lines.has(`installed ${name}`));
}

/**
 * Checks for the packages' programs instead. Throws a SetUpError if one is missing.
 * @param {readonly import('./needs.mjs').DebianPackage[]} packages
 * @returns {string[]}
 */
function withoutDpkg(packages) {
  const missing = packages.flatMap(({ program }) =>
    program === undefined || onPath(program) ? [] : program,
  );
  if (missing.length === 0) return [];
  throw new SetUpError(
    `This machine does not run Debian, so packages cannot be installed automatically. Missing: ${missing.join(', ')}.\n` +
      `Install the equivalents of the Debian packages ${packages.map((wanted) => wanted.package).join(', ')}, then try again.`,
  );
}

/**
 * The instructions for a person who must install the packages as root.
 * @param {readonly string[]} names
 */
export function installInstructions(names) {
  return (
    `Debian packages are missing, and installing them needs root. Run:\n\n` +
    `  sudo apt-get ${INSTALL.join(' ')} ${names.join(' ')}\n\n` +
    `(after "sudo apt-get update" on a fresh machine), then try again. Without sudo, become root with "su -" and leave out sudo.`
  );
}

/** @param {readonly string[]} names */
export function installPackages(names) {
  withLists(names, () => apt(['--no-remove', ...INSTALL, ...names]));
}

/**
 * @param {string} name
 * @param {string} folder
 */
export function downloadPackage(name, folder) {
  withLists([name], () => apt(['download', name], folder));
}

/**
 * Runs an apt command that needs these packages. If it fails, updates the package lists and
 * retries.
 * @param {readonly string[]} names
 * @param {() => ReturnType<typeof quietly>} attempt
 */
function withLists(names, attempt) {
  let tried = attempt();
  if (tried.ok) return;
  throwIfKnown(tried.output, 'The Debian mirror');
  // The lists are missing or outdated. Each source may time out, so none is retried.
  const updated = apt(['-o', 'Acquire::Retries=0', 'update']);
  tried = attempt();
  if (tried.ok) return;
  throwIfKnown(`${updated.output}\n${tried.output}`, 'The Debian mirror');
  const list = names.join(', ');
  throw new SetUpError(`apt-get could not install ${list} (${tried.ended}):\n\n${tried.output}`);
}

/**
 * Runs apt-get in its own session, so that Ctrl-C does not interrupt dpkg.
 * @param {readonly string[]} args
 * @param {string} [cwd]
 */
function apt(args, cwd) {
  const env = { DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
  return quietly('setsid', ['--wait', 'apt-get', '--quiet', ...OPTIONS, ...args], {
    env,
    ...(cwd !== undefined && { cwd }),
  });
}

/** @param {string} program */
export function onPath(program) {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
