/**
 * Installs what one of the product's programs needs on a machine with only git, npm and Node 20 or
 * later, then runs it:
 *
 *   node deploy/bootstrap/run.mjs <program.ts> [arguments]
 *
 * Installs missing Debian packages, Node 24 and the packages of the lockfile, in that order.
 * Changes nothing if nothing is missing. Uses no dependencies and no syntax newer than Node 20,
 * because it runs before anything is installed.
 */
import './node-version.mjs';
import { spawn, spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync } from 'node:fs';
import { constants as os } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { installPackages, missingPackages, installInstructions } from './debian-packages.mjs';
import { needsOf } from './needs.mjs';
import { installFromLockfile, isInstalled, nodeForNpm } from './npm-packages.mjs';
import { installNode, nodeRuntime } from './private-node.mjs';
import { SetUpError } from './quietly.mjs';
import { missingUnpacked, unpackedPath, unpackPackage } from './unpacked-packages.mjs';

const RUN = fileURLToPath(import.meta.url);
const CHECKOUT = dirname(dirname(dirname(RUN)));
const TOOLS = join(CHECKOUT, '.tools');

/** Ctrl-C arrives twice, the second time from npm. Within this time, both count as one. */
const SAME_SIGNAL_MS = 500;

/** `flock` exits with this code if another process holds the lock. */
const LOCKED = 75;

/** The kernel ends a child process when this process is killed. */
const WITH_US = ['--pdeathsig', 'TERM', '--'];

/** @typedef {ReturnType<typeof needsOf>} AllNeeds */

const setsUp = process.argv[2] === '--set-up';
const [target = '', ...args] = process.argv.slice(setsUp ? 3 : 2);
const asksForHelp = args.includes('--help');
try {
  // Help needs no Debian packages.
  const needs = asksForHelp ? { ...needsOf(target), packages: [], unpacked: [] } : needsOf(target);
  if (setsUp) setUp(needs);
  else if (asksForHelp && needs.usage) await showUsage(needsOf(target), needs.usage);
  else if (isReady(needs) || setUpAlone(needs)) run(needs);
} catch (error) {
  if (!(error instanceof SetUpError)) throw error;
  say(error.message);
  process.exitCode = 1;
}

/** @param {AllNeeds} needs */
function isReady(needs) {
  return (
    missingPackages(needs).length === 0 &&
    missingUnpacked(TOOLS, needs.unpacked).length === 0 &&
    nodeRuntime(TOOLS).ready &&
    isInstalled(CHECKOUT, needs)
  );
}

/**
 * Sets up in a child process that holds a lock on this checkout, after checking for foreseeable
 * errors. Returns true if everything is installed; otherwise the child has printed the cause.
 * @param {AllNeeds} needs
 */
function setUpAlone(needs) {
  const missing = missingPackages(needs);
  if (missing.length > 0 && process.getuid?.() !== 0) {
    throw new SetUpError(installInstructions(missing));
  }
  try {
    accessSync(CHECKOUT, constants.W_OK);
  } catch {
    throw new SetUpError(
      `${CHECKOUT} cannot be written to, so packages cannot be installed in it. Change its owner.`,
    );
  }
  mkdirSync(TOOLS, { recursive: true });
  const locked = (/** @type {string[]} */ ...how) => {
    const flock = ['flock', '--no-fork', ...how, join(TOOLS, 'set-up.lock')];
    const command = [...WITH_US, ...flock, process.execPath, RUN, '--set-up', target];
    if (asksForHelp) command.push('--help');
    return spawnSync('setpriv', command, { stdio: ['ignore', 'inherit', 'inherit'] }).status;
  };
  let status = locked('--nonblock', '--conflict-exit-code', String(LOCKED));
  if (status === LOCKED) {
    say('Another set-up is running in this folder. Waiting for it.');
    status = locked();
  }
  process.exitCode = status ?? 1;
  return status === 0;
}

/** @param {AllNeeds} needs */
function setUp(needs) {
  const missing = missingPackages(needs);
  if (missing.length > 0) {
    const what = `Debian packages, which takes a minute or two: ${missing.join(' ')}`;
    timed(what, () => installPackages(missing));
  }
  for (const wanted of needs.unpacked) {
    // An earlier package may have brought this program.
    if (!missingUnpacked(TOOLS, needs.unpacked).includes(wanted)) continue;
    const what = `the programs of the Debian package ${wanted.package} into .tools, without its service`;
    timed(what, () => unpackPackage(TOOLS, wanted));
  }
  if (!nodeRuntime(TOOLS).ready) timed('Node 24 into .tools', () => installNode(TOOLS));
  // Another set-up may have just finished.
  if (isInstalled(CHECKOUT, needs)) return;
  const pinned = nodeRuntime(TOOLS).path;
  const node = nodeForNpm(process.versions.node, { own: process.execPath, pinned });
  timed('npm packages into node_modules', () => installFromLockfile(CHECKOUT, { ...needs, node }));
}

/**
 * Prints a program's usage, and what running it would install.
 * @param {AllNeeds} needs
 * @param {string} file
 */
async function showUsage(needs, file) {
  const { USAGE } = await import(join(CHECKOUT, file));
  const unpacked = missingUnpacked(TOOLS, needs.unpacked).map((wanted) => wanted.package);
  const missing = [
    ...(nodeRuntime(TOOLS).ready ? [] : ['Node 24 into .tools']),
    ...(isInstalled(CHECKOUT, needs) ? [] : ['npm packages into node_modules']),
    ...unpacked.map((name) => `the programs of the Debian package ${name} into .tools`),
    ...missingPackages(needs),
  ];
  const installs = missing.length === 0 ? '' : `\nIt first installs: ${missing.join(', ')}\n`;
  process.stdout.write(`${USAGE}\n${installs}`);
}

/**
 * @param {string} what
 * @param {() => void} install
 */
function timed(what, install) {
  say(`Installing ${what} …`);
  const start = performance.now();
  install();
  say(`… done in ${Math.ceil((performance.now() - start) / 1000)} s.`);
}

/**
 * Runs the program in its own session, so that it receives Ctrl-C only once, from here.
 * @param {AllNeeds} needs
 */
function run(needs) {
  const program = join(CHECKOUT, target);
  if (!existsSync(program)) throw new SetUpError(`There is no ${target} in ${CHECKOUT}.`);
  const file = join(CHECKOUT, '.env');
  const settings = needs.settings && existsSync(file) ? [`--env-file=${file}`] : [];
  const command = [...WITH_US, nodeRuntime(TOOLS).path, ...settings, program, ...args];
  const unpacked = needs.unpacked.map((wanted) => unpackedPath(TOOLS, wanted));
  const PATH = [process.env['PATH'], ...unpacked].join(delimiter);
  const env = { ...process.env, PATH };
  const options = /** @type {const} */ ({ stdio: 'inherit', detached: true, env });
  const child = spawn('setpriv', command, options);
  /** @type {Map<NodeJS.Signals, number>} when each signal last arrived */
  const cameAt = new Map();
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP'])) {
    process.on(signal, () => {
      const again = performance.now() - (cameAt.get(signal) ?? -Infinity) < SAME_SIGNAL_MS;
      cameAt.set(signal, performance.now());
      if (!again) child.kill(signal);
    });
  }
  child.once('close', (code, signal) => {
    process.exitCode = code ?? 128 + os.signals[signal ?? 'SIGKILL'];
  });
}

/**
 * Prints to stderr, since stdout belongs to the program.
 * @param {string} text
 */
function say(text) {
  process.stderr.write(`${text}\n`);
}
