import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { networkProblem } from './network.mjs';
import { SetUpError } from './set-up-error.mjs';

/** In node_modules, which `npm ci` empties first, so that an interrupted set-up leaves no stamp. */
const STAMP = join('node_modules', '.scan-service-set-up.json');

/**
 * Whether node_modules of `folder` was installed from the current lockfile, on this kind of machine.
 *
 * @param {string} folder
 * @param {{ development: boolean }} options whether development packages are required; they are accepted in any case
 */
export function isInstalled(folder, { development }) {
  const stamp = readStamp(folder);
  if (stamp === undefined || stamp.lockfile !== lockfileHash(folder)) return false;
  if (stamp.machine !== machine()) return false;
  return stamp.development === true || !development;
}

/**
 * Installs exactly the packages in the lockfile of `folder`, without running their scripts.
 *
 * @param {string} folder
 * @param {{ development: boolean }} options
 * @param {import('./programs.mjs').Programs} programs
 */
export async function installFromLockfile(folder, { development }, programs) {
  // Keeps development packages that an earlier run installed.
  const all = development || readStamp(folder)?.development === true;
  const kind = all ? '--include=dev' : '--omit=dev';
  const quiet = ['--loglevel=error', '--no-audit', '--no-fund', '--no-update-notifier'];
  // npm waits up to a minute before it tries again, which is long where there is no network.
  const soon = ['--fetch-retry-mintimeout=1000', '--fetch-retry-maxtimeout=5000'];
  const { file, args } = npmCommand();
  const ended = await programs.quietly(
    file,
    [...args, 'ci', '--ignore-scripts', '--include=optional', kind, ...quiet, ...soon],
    { cwd: folder },
  );
  if (programs.stoppedBy !== undefined) return;
  if (ended.code !== 0) {
    const problem = networkProblem(ended.output, 'The npm registry');
    if (problem !== undefined) throw new SetUpError(problem);
    throw new SetUpError(
      `npm ci failed in ${folder} (exit code ${ended.code}):\n\n${ended.output.trim()}`,
    );
  }
  const stamp = { lockfile: lockfileHash(folder), machine: machine(), development: all };
  writeFileSync(join(folder, STAMP), `${JSON.stringify(stamp)}\n`);
}

/** The npm that started this run, with its Node, or the npm on the PATH. */
function npmCommand() {
  const path = process.env['npm_execpath'];
  const isNpm = path !== undefined && /npm-cli\.c?js$/.test(path);
  return isNpm ? { file: process.execPath, args: [path] } : { file: 'npm', args: [] };
}

/**
 * @param {string} folder
 * @returns {{ lockfile?: unknown, machine?: unknown, development?: unknown } | undefined}
 */
function readStamp(folder) {
  try {
    return JSON.parse(readFileSync(join(folder, STAMP), 'utf8'));
  } catch {
    return undefined;
  }
}

/** @param {string} folder */
function lockfileHash(folder) {
  return createHash('sha256')
    .update(readFileSync(join(folder, 'package-lock.json')))
    .digest('hex');
}

/** Some packages contain native code, so a checkout that is moved to another kind of machine needs other ones. */
function machine() {
  return `${process.platform}-${process.arch}`;
}
