import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { downloadPackage, onPath } from './debian-packages.mjs';
import { quietly, SetUpError } from './quietly.mjs';

/**
 * The directory of an unpacked package's programs.
 * @param {string} tools the folder for private programs
 * @param {import('./needs.mjs').DebianPackage} wanted
 */
export function unpackedPath(tools, wanted) {
  return join(tools, 'debian', wanted.package, 'usr', 'bin');
}

/**
 * @param {string} tools
 * @param {readonly import('./needs.mjs').DebianPackage[]} packages
 */
export function missingUnpacked(tools, packages) {
  const folders = packages.map((wanted) => unpackedPath(tools, wanted));
  return packages.filter((wanted) => {
    const program = wanted.program ?? wanted.package;
    return !onPath(program) && !folders.some((folder) => existsSync(join(folder, program)));
  });
}

/**
 * Unpacks a Debian package into a private folder. Its scripts do not run, so its services do not
 * start.
 * @param {string} tools
 * @param {import('./needs.mjs').DebianPackage} wanted
 */
export function unpackPackage(tools, wanted) {
  const folder = join(tools, 'debian', wanted.package);
  const unfinished = `${folder}.unfinished`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  downloadPackage(wanted.package, unfinished);
  const archive = readdirSync(unfinished).find((name) => name.endsWith('.deb')) ?? '';
  const { ok, output } = quietly('dpkg', ['--extract', archive, '.'], { cwd: unfinished });
  if (!ok) throw new SetUpError(`${wanted.package} could not be unpacked: ${output}`);
  rmSync(join(unfinished, archive));
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
}
