/** Processes of this machine, by /proc (proc(5)): what is read of one that has ended meanwhile is empty. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Native programs that a scan starts; none of them may outlive it. */
const NATIVE_PROGRAMS = ['scanimage', 'ocrmypdf', 'tesseract', 'gs', 'jbig2'];

/** Unit of the times in `stat`: USER_HZ, 100 a second on every Linux that Node runs on. */
const TICK_MS = 10;

export interface Process {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  /** It has ended, and only waits to be noticed by its parent. */
  readonly isOver: boolean;
  /** On any processor since its start, without what it has started; and of its children that have ended. */
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

/** Undefined for one that is gone. */
export function processOf(pid: number): Process | undefined {
  // The name is in brackets and may hold spaces and brackets.
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

/** Time that a process has run on any processor since its start, in milliseconds. */
export function processorMsOf(pid: number): number {
  return processOf(pid)?.ownCpuMs ?? 0;
}

export function allProcesses(): Process[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => processOf(Number(pid)) ?? []);
}

/** Those of `all` that were started by one of the ancestors, or by what these started. */
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

/** Whether a process works in the directory, or has it in its command line or its environment: of one that lost its parent, that is what is left. */
export function knowsDirectory(pid: number, directory: string): boolean {
  if (linkOfProcess(pid, 'cwd').startsWith(directory)) return true;
  return ['cmdline', 'environ'].some((file) => readProcess(pid, file).includes(directory));
}

/** A program that was told to end, or lost its parent, is gone within some milliseconds; on a busy machine it has to wait for its turn. */
const END_MS = 10_000;
/** Nobody tells when a process of somebody else has ended. */
const LOOK_EVERY_MS = 5;

/** What `look` still finds when it should find nothing any more. */
export async function leftAfterAll<T>(look: () => readonly T[]): Promise<readonly T[]> {
  const until = Date.now() + END_MS;
  let left = look();
  while (left.length > 0 && Date.now() < until) {
    await wait(LOOK_EVERY_MS);
    left = look();
  }
  return left;
}

/** Those of the processes that have not ended soon after they were told to. */
export function stillAlive(pids: readonly number[]): Promise<readonly number[]> {
  return leftAfterAll(() => pids.filter((pid) => processOf(pid)?.isOver === false));
}

export function isScanimageRunning(): boolean {
  return runningBelow().some(({ name }) => name === 'scanimage');
}

function runningBelow(): Process[] {
  return processesBelow([process.pid]).filter(({ isOver }) => !isOver);
}

/** What of the native programs below this process is still there when all should have ended, as `pid name`; others are somebody else's. */
export function programsLeft(): Promise<readonly string[]> {
  return leftAfterAll(() =>
    runningBelow()
      .filter(({ name }) => NATIVE_PROGRAMS.includes(name))
      .map(({ pid, name }) => `${pid} ${name}`),
  );
}

/** Command lines of every process below this one, for tests that look for a secret in them. */
export function commandLinesBelow(): string {
  return runningBelow()
    .map(({ pid }) => readProcess(pid, 'cmdline'))
    .join('\n');
}

export function descriptorsOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/fd`).map(Number);
}

/**
 * Files below a directory that this process still has open when all should be closed: a thread of Node closes a file when it
 * gets its turn.
 */
export function filesLeftOpen(directory: string): Promise<readonly string[]> {
  return leftAfterAll(() =>
    descriptorsOf(process.pid)
      .map((descriptor) => linkOfProcess(process.pid, `fd/${descriptor}`))
      .filter((target) => target.startsWith(`${directory}/`)),
  );
}
