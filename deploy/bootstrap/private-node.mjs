import { copyFileSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installFromLockfile, isInstalled } from './npm-packages.mjs';
import { quietly, SetUpError } from './quietly.mjs';

/** The first Node that runs TypeScript without a build step, and all dependencies. */
const OLDEST_MAJOR = 24;

/** Node is published as an npm package for these values of `process.arch`. */
const ARCHITECTURES = ['x64', 'arm64'];

const PINNED = fileURLToPath(new URL('node', import.meta.url));

/**
 * The Node to run the product with, and whether it is installed.
 * @param {string} tools the parent of the private Node's folder; may not exist yet
 */
export function nodeRuntime(tools) {
  if (Number.parseInt(process.versions.node, 10) >= OLDEST_MAJOR) {
    return { path: process.execPath, ready: true };
  }
  if (process.platform !== 'linux' || !ARCHITECTURES.includes(process.arch)) {
    throw new SetUpError(
      `This Node is ${process.versions.node}, and Node ${OLDEST_MAJOR} is needed. It can be installed from here on ` +
        `Linux on ${ARCHITECTURES.join(' and ')} only, not on ${process.platform} on ${process.arch}.`,
    );
  }
  const folder = join(tools, 'node');
  const path = join(folder, 'node_modules', `node-linux-${process.arch}`, 'bin', 'node');
  const isCurrent = lockfileOf(folder) === lockfileOf(PINNED);
  return { path, ready: isCurrent && isInstalled(folder, { development: false }) };
}

/** @param {string} tools */
export function installNode(tools) {
  const folder = join(tools, 'node');
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) {
    copyFileSync(join(PINNED, name), join(folder, name));
  }
  installFromLockfile(folder, { development: false });
  const { ok, output } = quietly(nodeRuntime(tools).path, ['--version'], {});
  if (!ok) throw new SetUpError(`Node was installed in ${folder} but does not run: ${output}`);
}

/** @param {string} folder */
function lockfileOf(folder) {
  try {
    return readFileSync(join(folder, 'package-lock.json'), 'utf8');
  } catch {
    return undefined;
  }
}
