import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

/** Soon enough for a person who checks whether anything is left running. */
const LOOK_EVERY_MS = 500;

/**
 * Calls `onGone` once when the npm that started this process has ended. A signal to npm may reach the shell between npm and this
 * process, but never this process.
 *
 * @param {() => void} onGone
 */
export function watchNpm(onGone) {
  if (process.env['npm_lifecycle_event'] === undefined) return;
  const chain = chainToNpm();
  const timer = setInterval(() => {
    if (chain.every(({ pid, parent }) => parentOf(pid) === parent)) return;
    clearInterval(timer);
    onGone();
  }, LOOK_EVERY_MS);
  timer.unref();
}

/** The processes below npm, starting with this one: only this one if npm is its parent or cannot be recognised. */
function chainToNpm() {
  const self = { pid: process.pid, parent: process.ppid };
  const shell = { pid: self.parent, parent: parentOf(self.parent) };
  const throughShell = !isNpm(self.parent) && shell.parent !== undefined && isNpm(shell.parent);
  return throughShell ? [self, shell] : [self];
}

/** @param {number} pid */
function isNpm(pid) {
  // npm sets its title to the command, "npm run demo"; before that it is a script of some Node.
  const [title = ''] = read(pid, 'cmdline').split('\0');
  return /^npm\b/.test(title) || basename(title) === 'node';
}

/** @param {number} pid */
function parentOf(pid) {
  if (pid === process.pid) return process.ppid;
  // The process name before it, in brackets, may contain anything.
  const fields = /^\d+ \(.*\) \S (\d+) /s.exec(read(pid, 'stat'));
  return fields === null ? undefined : Number(fields[1]);
}

/**
 * @param {number} pid
 * @param {string} file
 */
function read(pid, file) {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return '';
  }
}
