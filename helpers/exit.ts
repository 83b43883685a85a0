import type { Log } from './log.ts';

/** Operations of a disk that answers end within milliseconds. */
const GRACE_MS = 2000;

/** For the last line of the log, which a thread writes. */
const LOG_MS = 500;

/** Part of every Debian; each ends with its code. */
const PROGRAMS = { 0: '/bin/true', 1: '/bin/false' } as const;

/**
 * Ends the process although a thread hangs in a file operation: `process.exit()` would wait for that thread, and becoming another
 * program does not. Exit handlers do not run.
 */
export function exitAtOnce(code: keyof typeof PROGRAMS): void {
  process.execve?.(PROGRAMS[code], [PROGRAMS[code]], {});
}

/** Ends the process with code 0 if only file operations that hang keep it alive. Call it when all work is done. */
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
