import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { installFromLockfile, isInstalled } from './npm-packages.mjs';
import { SetUpError } from './set-up-error.mjs';

/** The first release line that runs the product: TypeScript without a build step, and the libraries' own minimum. */
const OLDEST_MAJOR = 24;

/** Architectures for which Node is published as an npm package, as `process.arch` names them. */
const ARCHITECTURES = ['x64', 'arm64'];

/**
 * @typedef {object} Folders
 * @property {string} pinned the committed package.json and lockfile of the pinned Node
 * @property {string} installed the folder of the private Node, which may not exist yet
 */

/**
 * Returns the Node to run the product with, and whether it is installed.
 *
 * @param {Folders} folders
 */
export function nodeRuntime({ pinned, installed }) {
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_MAJOR) {
    return { path: process.execPath, ready: true };
  }
  if (process.platform !== 'linux' || !ARCHITECTURES.includes(process.arch)) {
    throw new SetUpError(
      `This Node is ${process.versions.node}, and Node ${OLDEST_MAJOR} is needed. It can be installed from here on ` +
        `Linux on ${ARCHITECTURES.join(' and ')} only, not on ${process.platform} on ${process.arch}.`,
    );
  }
  const path = join(installed, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  return { path, ready: isPinned({ pinned, installed }) };
}

/**
 * Installs the pinned Node into its private folder.
 *
 * @param {Folders} folders
 * @param {import('./programs.mjs').Programs} programs
 */
export async function installNode({ pinned, installed }, programs) {
  mkdirSync(installed, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(join(pinned, name), join(installed, name));
  }
  await installFromLockfile(installed, { development: false }, programs);
  if (programs.stoppedBy !== undefined) return;
  const { path } = nodeRuntime({ pinned, installed });
  const { status, stderr, error } = spawnSync(path, ['--version'], { encoding: 'utf8' });
  if (status === 0) return;
  const cause = error === undefined ? stderr : error.message;
  throw new SetUpError(`Node was installed in ${installed} but does not run: ${cause.trim()}`);
}

/**
 * Whether the private copy was installed from the current lockfile.
 *
 * @param {Folders} folders
 */
function isPinned({ pinned, installed }) {
  try {
    const [committed, copied] = [pinned, installed].map((folder) =>
      readFileSync(join(folder, 'package-lock.json'), 'utf8'),
    );
    return committed === copied && isInstalled(installed, { development: false });
  } catch {
    return false;
  }
}
