/**
 * Installs what one of the product's programs needs on a machine that only has git, npm and Node 20 or later, then runs it:
 *
 *   node deploy/bootstrap/run.mjs <program.ts> [arguments]
 *
 * Installs missing Debian packages, Node 24 and the packages of the lockfile, in that order. If nothing is missing, the machine is
 * not changed. Uses no dependencies and no syntax newer than Node 20, because it runs before anything is installed.
 */
import './node-version.mjs';
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, missingPackages } from './debian-packages.mjs';
import { needsOf } from './needs.mjs';
import { installNode, nodeRuntime } from './node-runtime.mjs';
import { installFromLockfile, isInstalled, nodeForNpm } from './npm-packages.mjs';
import { watchNpm } from './npm-watch.mjs';
import { Programs } from './programs.mjs';
import { SetUpError } from './set-up-error.mjs';
import { holdSetUpLock } from './set-up-lock.mjs';

const HERE = dirname(fileURLToPath(import.meta.url));
const CHECKOUT = dirname(dirname(HERE));
const TOOLS = join(CHECKOUT, '.tools');
const NODE_FOLDERS = { pinned: join(HERE, 'node'), installed: join(TOOLS, 'node') };

const [target = '', ...args] = process.argv.slice(2);
const programs = new Programs();
watchNpm(() => programs.stop('SIGTERM'));
try {
  process.exitCode = await main();
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  if (programs.stoppedCode === undefined) say(error.message);
  process.exitCode = programs.stoppedCode ?? 1;
}

async function main() {
  const needs = needsOf(target);
  if (!isReady(needs)) await setUp(needs);
  if (programs.stoppedCode !== undefined) return programs.stoppedCode;
  const program = join(CHECKOUT, target);
  if (!existsSync(program)) throw new SetUpError(`There is no ${target} in ${CHECKOUT}.`);
  const file = join(CHECKOUT, '.env');
  const settings = needs.settings && existsSync(file) ? [`--env-file=${file}`] : [];
  return programs.foreground(nodeRuntime(NODE_FOLDERS).path, [...settings, program, ...args]);
}

/** @param {import('./needs.mjs').Needs} needs */
function isReady(needs) {
  return (
    missingPackages(needs.packages).length === 0 &&
    nodeRuntime(NODE_FOLDERS).ready &&
    isInstalled(CHECKOUT, needs)
  );
}

/** @param {import('./needs.mjs').Needs} needs */
async function setUp(needs) {
  await refuseWithoutRoot(needs);
  refuseReadOnly();
  mkdirSync(TOOLS, { recursive: true });
  const lock = await holdSetUpLock(join(TOOLS, 'set-up.lock'), {
    onWaiting: () => say('Another set-up is running in this folder. Waiting for it.'),
    stopped: programs.stopped,
  });
  try {
    for (const step of steps(needs)) {
      if (programs.stoppedBy !== undefined) return;
      await timed(step);
    }
  } finally {
    lock.release();
  }
}

/**
 * Reports missing Debian packages to a person without root rights before anything is installed.
 *
 * @param {import('./needs.mjs').Needs} needs
 */
async function refuseWithoutRoot(needs) {
  const missing = missingPackages(needs.packages);
  if (missing.length > 0 && process.getuid?.() !== 0) await installPackages(missing, programs);
}

function refuseReadOnly() {
  try {
    accessSync(CHECKOUT, constants.W_OK);
  } catch {
    throw new SetUpError(
      `${CHECKOUT} cannot be written to, so packages cannot be installed in it. Change its owner.`,
    );
  }
}

/**
 * The remaining steps, each checked when it is due, because another set-up may just have done it.
 *
 * @param {import('./needs.mjs').Needs} needs
 */
function* steps(needs) {
  const missing = missingPackages(needs.packages);
  if (missing.length > 0) {
    yield {
      what: `Debian packages, which takes a minute or two: ${missing.join(' ')}`,
      install: () => installPackages(missing, programs),
    };
  }
  if (!nodeRuntime(NODE_FOLDERS).ready) {
    yield { what: 'Node 24 into .tools', install: () => installNode(NODE_FOLDERS, programs) };
  }
  if (!isInstalled(CHECKOUT, needs)) {
    const { path: pinned } = nodeRuntime(NODE_FOLDERS);
    const node = nodeForNpm(process.versions.node, { own: process.execPath, pinned });
    yield {
      what: 'npm packages into node_modules',
      install: () => installFromLockfile(CHECKOUT, { ...needs, node }, programs),
    };
  }
}

/** @param {{ what: string, install: () => Promise<void> }} step */
async function timed({ what, install }) {
  say(`Installing ${what} …`);
  const start = performance.now();
  await install();
  if (programs.stoppedBy === undefined)
    say(`… done in ${Math.ceil((performance.now() - start) / 1000)} s.`);
}

/**
 * Prints to stderr, because stdout belongs to the program that is started.
 *
 * @param {string} text
 */
function say(text) {
  process.stderr.write(`${text}\n`);
}
