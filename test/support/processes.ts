/** Processes as /proc shows them (proc(5)). Fields of a process that has ended are empty. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Programs that a scan may start and that must not outlive it. */
const NATIVE_PROGRAMS = ['scanimage', 'ocrmypdf', 'tesseract', 'gs', 'jbig2'];

/** USER_HZ, the unit of CPU time in `stat`: 1/100 s on every Linux that Node supports. */
const TICK_MS = 10;

export interface Process {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  /** A zombie: the process has ended, but its parent has not reaped it. */
  readonly isOver: boolean;
  /** CPU time of the process, and of its children that have been reaped. */
  readonly ownCpuMs: number;
  readonly endedCpuMs: number;
}

export function readProcess(pid: number, file: string): string {
  return unlessGone(() => readFileSync(`/proc/${pid}/${file}`, 'utf8'));
}

export function linkOfProcess(pid: number, link: string): string {
  return unlessGone(() => readlinkSync(`/proc/${pid}/${link}`));
}

function unlessGone(read: () => string): string {
  try {
    return read();
  } catch {
    return '';
  }
}

export function processOf(pid: number): Process | undefined {
  // The name is in parentheses and may contain spaces and parentheses.
  const match = /^\d+ \((?<name>.*)\) (?<state>\S) (?<rest>.*)$/s.exec(readProcess(pid, 'stat'));
  const { name = '', state, rest = '' } = match?.groups ?? {};
  if (state === undefined) return undefined;
  // `rest` begins with field 4, the parent; utime, stime, cutime and cstime are fields 14 to 17.
  const fields = rest.split(' ').map(Number);
  const [parent = 0] = fields;
  const [user = 0, system = 0, endedUser = 0, endedSystem = 0] = fields.slice(10);
  const ownCpuMs = (user + system) * TICK_MS;
  const endedCpuMs = (endedUser + endedSystem) * TICK_MS;
  return { pid, name, parent, isOver: state === 'Z', ownCpuMs, endedCpuMs };
}

export function processorMsOf(pid: number): number {
  return processOf(pid)?.ownCpuMs ?? 0;
}

export function allProcesses(): Process[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => processOf(Number(pid)) ?? []);
}

export function processesBelow(
  ancestors: readonly number[],
  all: readonly Process[] = allProcesses(),
): Process[] {
  const byId = new Map(all.map((process) => [process.pid, process]));
  const isBelow = (start: Process): boolean => {
    for (let at = byId.get(start.parent); at !== undefined; at = byId.get(at.parent)) {
      if (ancestors.includes(at.pid)) return true;
    }
    return false;
  };
  return all.filter(isBelow);
}

/**
 * True if the working directory, command line or environment names the directory. Unlike parent
 * ids, this also finds orphans.
 */
export function mentionsDirectory(pid: number, directory: string): boolean {
  if (linkOfProcess(pid, 'cwd').startsWith(directory)) return true;
  return ['cmdline', 'environ'].some((file) => readProcess(pid, file).includes(directory));
}

/** A program that was signaled or orphaned ends within milliseconds unless the machine is busy. */
const END_MS = 10_000;
const LOOK_EVERY_MS = 5;

/** Polls until `look` finds nothing. Returns what is left after `END_MS`. */
export async function remainingAfterWait<T>(look: () => readonly T[]): Promise<readonly T[]> {
  const until = Date.now() + END_MS;
  let left = look();
  while (left.length > 0 && Date.now() < until) {
    await wait(LOOK_EVERY_MS);
    left = look();
  }
  return left;
}

export function stillAlive(pids: readonly number[]): Promise<readonly number[]> {
  return remainingAfterWait(() => pids.filter((pid) => processOf(pid)?.isOver === false));
}

export function isScanimageRunning(): boolean {
  return runningBelow().some(({ name }) => name === 'scanimage');
}

function runningBelow(): Process[] {
  return processesBelow([process.pid]).filter(({ isOver }) => !isOver);
}

/** Native programs below this process that are still running after `END_MS`, as `pid name`. */
export function programsLeft(): Promise<readonly string[]> {
  return remainingAfterWait(() =>
    runningBelow()
      .filter(({ name }) => NATIVE_PROGRAMS.includes(name))
      .map(({ pid, name }) => `${pid} ${name}`),
  );
}

export function commandLinesBelow(): string {
  return runningBelow()
    .map(({ pid }) => readProcess(pid, 'cmdline'))
    .join('\n');
}

export function descriptorsOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/fd`).map(Number);
}

/**
 * Files below the directory that are still open after `END_MS`: Node closes files on other threads.
 */
export function filesLeftOpen(directory: string): Promise<readonly string[]> {
  return remainingAfterWait(() =>
    descriptorsOf(process.pid)
      .map((descriptor) => linkOfProcess(process.pid, `fd/${descriptor}`))
      .filter((target) => target.startsWith(`${directory}/`)),
  );
}
