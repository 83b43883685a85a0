/** Processes as /proc shows them (proc(5)). Fields of a process that has ended are empty. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Programs a scan may start; none may outlive it. */
const NATIVE_PROGRAMS = ['scanimage', 'ocrmypdf', 'tesseract', 'gs', 'jbig2'];

/** USER_HZ, the unit of times in `stat`: 100 per second on every Linux that Node supports. */
const TICK_MS = 10;

export interface Process {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  /** A zombie: ended, but not yet reaped by its parent. */
  readonly isOver: boolean;
  /** CPU time since start: its own, and that of its reaped children. */
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

/** Undefined if the process is gone. */
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

/** CPU time of a process since its start, in milliseconds. */
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
 * True if its working directory, command line or environment names the directory. Identifies
 * orphans.
 */
export function mentionsDirectory(pid: number, directory: string): boolean {
  if (linkOfProcess(pid, 'cwd').startsWith(directory)) return true;
  return ['cmdline', 'environ'].some((file) => readProcess(pid, file).includes(directory));
}

/** A signalled or orphaned program ends within milliseconds, or later on a busy machine. */
const END_MS = 10_000;
const LOOK_EVERY_MS = 5;

/** Polls until `look` finds nothing, and returns what remains after `END_MS`. */
export async function remainingAfterWait<T>(look: () => readonly T[]): Promise<readonly T[]> {
  const until = Date.now() + END_MS;
  let left = look();
  while (left.length > 0 && Date.now() < until) {
    await wait(LOOK_EVERY_MS);
    left = look();
  }
  return left;
}

/** The processes that are still running after `END_MS`. */
export function stillAlive(pids: readonly number[]): Promise<readonly number[]> {
  return remainingAfterWait(() => pids.filter((pid) => processOf(pid)?.isOver === false));
}

export function isScanimageRunning(): boolean {
  return runningBelow().some(({ name }) => name === 'scanimage');
}

function runningBelow(): Process[] {
  return processesBelow([process.pid]).filter(({ isOver }) => !isOver);
}

/** Native programs below this process that are still running at the end, as `pid name`. */
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

/** Files below a directory that are still open. Waits, since Node closes files on other threads. */
export function filesLeftOpen(directory: string): Promise<readonly string[]> {
  return remainingAfterWait(() =>
    descriptorsOf(process.pid)
      .map((descriptor) => linkOfProcess(process.pid, `fd/${descriptor}`))
      .filter((target) => target.startsWith(`${directory}/`)),
  );
}
