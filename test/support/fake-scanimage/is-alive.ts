import { readFileSync } from 'node:fs';

/** Whether a process is there and not only waiting to be reaped. */
export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return false;
  }
}
