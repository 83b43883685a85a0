import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { descendantsOf } from './native-programs.ts';

/** What a process holds of the machine. */
export interface Resources {
  readonly descriptors: number;
  readonly sockets: number;
  readonly children: number;
  /** Resident memory. */
  readonly megabytes: number;
}

/** What the process holds at this moment, by /proc. */
export function resourcesOf(pid: number): Resources {
  const targets = descriptorsOf(pid).map((name) => targetOf(`/proc/${pid}/fd/${name}`));
  const open = targets.filter((target) => target !== undefined);
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return {
    descriptors: open.length,
    sockets: open.filter((target) => target.startsWith('socket:')).length,
    children: descendantsOf(pid).length,
    megabytes: Number(kilobytes) / 1024,
  };
}

/** Numbers of the open file descriptors of a process. */
export function descriptorsOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/fd`).map(Number);
}

/** Undefined where it was closed meanwhile. */
function targetOf(link: string): string | undefined {
  try {
    return readlinkSync(link);
  } catch {
    return undefined;
  }
}
