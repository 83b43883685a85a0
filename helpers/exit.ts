import type { Log } from './log.ts';

/** Time for pending file operations before exit. Disks that respond take milliseconds. */
const GRACE_MS = 2000;

/** Gives the log thread time to write the last line. */
const LOG_MS = 500;

/** Programs that only exit with this code. Every Debian system has them. */
const PROGRAMS = { 0: '/bin/true', 1: '/bin/false' } as const;

/** Unlike `process.exit()`, does not wait for hanging threads. Skips exit handlers. */
export function exitAtOnce(code: keyof typeof PROGRAMS): void {
  process.execve?.(PROGRAMS[code], [PROGRAMS[code]], {});
}

export function exitDespiteHangingFiles(log: Log): void {
  const timer = setTimeout(() => {
    const hanging = process.getActiveResourcesInfo().filter((one) => one.startsWith('FSReq'));
    if (hanging.length === 0) return;
    const facts = { event: 'left_hanging_files', operations: hanging.length };
    log.warn(facts, 'File operations did not return: a disk or a network share hangs.');
    setTimeout(exitAtOnce, LOG_MS, 0);
  }, GRACE_MS);
  timer.unref();
}
