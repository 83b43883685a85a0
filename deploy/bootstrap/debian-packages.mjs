import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { networkProblem, RESOLVER } from './network.mjs';
import { SetUpError } from './set-up-error.mjs';

/** How long apt-get waits for another package manager, usually unattended-upgrades. */
const DPKG_LOCK_WAIT_S = 300;

/** A mirror that answers does so within this time. */
const APT_ANSWER_S = 15;

const INSTALL = ['install', '--yes', '--no-install-recommends'];

/**
 * Returns the names of the packages that are not installed on this machine.
 *
 * @param {readonly import('./needs.mjs').DebianPackage[]} packages
 * @returns {string[]}
 */
export function missingPackages(packages) {
  if (packages.length === 0) return [];
  if (!onPath('dpkg-query')) return withoutDpkg(packages);
  const names = packages.map((wanted) => wanted.package);
  const format = '${db:Status-Status} ${Package}\n';
  // Exits with 1 if a package is unknown, but still lists the others.
  const { stdout } = spawnSync('dpkg-query', ['--show', `--showformat=${format}`, ...names], {
    encoding: 'utf8',
  });
  const lines = new Set(stdout.split('\n'));
  return names.filter((name) => !lines.has(`installed ${name}`));
}

/**
 * For machines without dpkg: returns nothing if every program is there, and otherwise throws a SetUpError that lists them.
 *
 * @param {readonly import('./needs.mjs').DebianPackage[]} packages
 * @returns {string[]}
 */
function withoutDpkg(packages) {
  const missing = packages.filter(({ program }) => program !== undefined && !onPath(program));
  if (missing.length === 0) return [];
  throw new SetUpError(
    `This machine does not run Debian, so packages cannot be installed automatically. Missing: ` +
      `${missing.map(({ program }) => program).join(', ')}.\nInstall the equivalents of the Debian packages ` +
      `${packages.map((wanted) => wanted.package).join(', ')}, then try again.`,
  );
}

/**
 * Installs Debian packages. Without root rights, throws a SetUpError with the command to run, before anything is changed.
 *
 * @param {readonly string[]} names
 * @param {import('./programs.mjs').Programs} programs
 */
export async function installPackages(names, programs) {
  if (process.getuid?.() !== 0) {
    throw new SetUpError(
      `Debian packages are missing, and installing them needs root rights. Run:\n\n` +
        `  sudo apt-get ${INSTALL.join(' ')} ${names.join(' ')}\n\n` +
        `(after "sudo apt-get update" on a fresh machine), then try again.`,
    );
  }
  const apt = aptGet(programs);
  const install = [...INSTALL, ...names];
  const downloaded = await apt.download(install);
  if (programs.stoppedBy !== undefined) return;
  if (downloaded.code !== 0) {
    const unreachable = networkProblem(downloaded.output, 'The Debian mirror');
    if (unreachable !== undefined) throw new SetUpError(unreachable);
    // There are no package lists yet, or their files are no longer on the mirror.
    const updated = await apt.update();
    if (programs.stoppedBy !== undefined) return;
    const problem = networkProblem(updated.output, 'The Debian mirror');
    const again = await apt.download(install);
    if (programs.stoppedBy !== undefined) return;
    if (problem !== undefined && again.code !== 0) throw new SetUpError(problem);
    orThrow(again, names);
  }
  orThrow(await apt.install(install), names);
}

/**
 * apt-get in three steps. Only the last one must not be interrupted: a Ctrl-C waits until it has finished.
 *
 * @param {import('./programs.mjs').Programs} programs
 */
function aptGet(programs) {
  const settings = [
    `DPkg::Lock::Timeout=${DPKG_LOCK_WAIT_S}`,
    'Acquire::Retries=1',
    `Acquire::http::Timeout=${APT_ANSWER_S}`,
    `Acquire::https::Timeout=${APT_ANSWER_S}`,
  ];
  const options = ['--quiet', ...settings.flatMap((setting) => ['-o', setting])];
  const env = {
    ...process.env,
    DEBIAN_FRONTEND: 'noninteractive',
    LC_ALL: 'C.UTF-8',
    ...RESOLVER,
  };
  return {
    // Each source of packages takes its time, so none is tried again.
    update: () =>
      programs.quietly('apt-get', [...options, '-o', 'Acquire::Retries=0', 'update'], { env }),
    download: (/** @type {readonly string[]} */ args) =>
      programs.quietly('apt-get', [...options, '--no-remove', '--download-only', ...args], { env }),
    install: (/** @type {readonly string[]} */ args) =>
      programs.undisturbed('apt-get', [...options, '--no-remove', ...args], { env }),
  };
}

/**
 * @param {import('./programs.mjs').Ended} ended
 * @param {readonly string[]} names
 */
function orThrow({ code, output }, names) {
  if (code === 0) return;
  throw new SetUpError(
    `apt-get could not install ${names.join(', ')} (exit code ${code}):\n\n${output.trim()}`,
  );
}

/** @param {string} program */
function onPath(program) {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
