import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { spawnSync } from 'node:child_process';
import { SetUpError } from './set-up-error.mjs';

/** Another package manager (unattended-upgrades, mostly) may be at work: apt-get waits for it this long. */
const DPKG_LOCK_WAIT_S = 300;

const INSTALL = ['install', '--yes', '--no-install-recommends'];

/**
 * The packages that are missing on this machine.
 *
 * @param {readonly import('./needs.mjs').DebianPackage[]} packages
 * @returns {string[]}
 */
export function missingPackages(packages) {
  if (packages.length === 0) return [];
  if (!onPath('dpkg-query')) return withoutDpkg(packages);
  const names = packages.map((wanted) => wanted.package);
  const format = '${db:Status-Status} ${Package}\n';
  // It exits 1 when a package is unknown, and lists the others all the same.
  const { stdout } = spawnSync('dpkg-query', ['--show', `--showformat=${format}`, ...names], {
    encoding: 'utf8',
  });
  const lines = new Set(stdout.split('\n'));
  return names.filter((name) => !lines.has(`installed ${name}`));
}

/**
 * On a machine that is no Debian: fine if every program is there, else what to install is for its owner to find out.
 *
 * @param {readonly import('./needs.mjs').DebianPackage[]} packages
 * @returns {string[]}
 */
function withoutDpkg(packages) {
  const missing = packages.filter(({ program }) => program !== undefined && !onPath(program));
  if (missing.length === 0) return [];
  throw new SetUpError(
    `This machine is no Debian, so its packages cannot be installed from here. Missing: ` +
      `${missing.map(({ program }) => program).join(', ')}.\nInstall what Debian calls ` +
      `${packages.map((wanted) => wanted.package).join(', ')}, then try again.`,
  );
}

/**
 * Installs Debian packages, or throws a SetUpError that says what to type before anything is half done.
 *
 * @param {readonly string[]} names
 * @param {import('./programs.mjs').Programs} programs
 */
export async function installPackages(names, programs) {
  if (process.getuid?.() !== 0) {
    throw new SetUpError(
      `Debian packages are missing, and only root can install them. Run:\n\n` +
        `  sudo apt-get ${INSTALL.join(' ')} ${names.join(' ')}\n\n` +
        `(after "sudo apt-get update" on a fresh machine), then try again.`,
    );
  }
  const apt = aptGet(programs);
  const install = [...INSTALL, ...names];
  const downloaded = await apt.download(install);
  if (programs.stoppedBy !== undefined) return;
  if (downloaded.code !== 0) {
    // No package lists yet, or lists so old that their files have left the mirror.
    await apt.update();
    const again = await apt.download(install);
    if (programs.stoppedBy !== undefined) return;
    orThrow(again, names);
  }
  orThrow(await apt.install(install), names);
}

/**
 * apt-get in three steps: all but the last may be interrupted, and a Ctrl-C during the last waits for its end.
 *
 * @param {import('./programs.mjs').Programs} programs
 */
function aptGet(programs) {
  const options = ['--quiet', '-o', `DPkg::Lock::Timeout=${DPKG_LOCK_WAIT_S}`];
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', LC_ALL: 'C.UTF-8' };
  return {
    update: () => programs.quietly('apt-get', [...options, 'update'], { env }),
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
