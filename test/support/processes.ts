import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';

/** Native programs that a scan starts; none of them may outlive it. */
const NATIVE_PROGRAMS = ['scanimage', 'ocrmypdf', 'tesseract', 'gs', 'jbig2'];

/** Native programs that live below `ancestors`, as `pid name`. Those of other people on this machine are theirs. */
function nativeProgramsBelow(ancestors: readonly number[]): string[] {
  return processesBelow(ancestors)
    .filter(({ name }) => NATIVE_PROGRAMS.includes(name))
    .map(({ pid, name }) => `${pid} ${name}`);
}

interface Process {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
}

function processesBelow(ancestors: readonly number[]): Process[] {
  const all = new Map(allProcesses().map((process) => [process.pid, process]));
  const isBelow = (start: Process): boolean => {
    for (let at = all.get(start.parent); at !== undefined; at = all.get(at.parent)) {
      if (ancestors.includes(at.pid)) return true;
    }
    return false;
  };
  return [...all.values()].filter(isBelow);
}

/** Every process that has not ended. */
function allProcesses(): Process[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.flatMap((pid) => {
    // The name is in brackets and may hold spaces; state and parent follow it.
    const match = /^\d+ \((?<name>.*)\) (?<state>\S) (?<parent>\d+)/s.exec(
      readProcessFile(pid, 'stat'),
    );
    const { name = '', state = 'Z', parent = '0' } = match?.groups ?? {};
    return state === 'Z' ? [] : [{ pid: Number(pid), name, parent: Number(parent) }];
  });
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
  return leftAfterAll(() => pids.filter(isAlive));
}

/** Linux tells processor time in hundredths of a second. */
const TICK_MS = 10;

/** Time that a process has run on any processor since its start, in milliseconds. */
export function processorMsOf(pid: number): number {
  // The name is in brackets; time as user and for the system are the 12th and 13th field after it.
  const fields = readProcessFile(String(pid), 'stat')
    .replace(/^.*\) /s, '')
    .split(' ');
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

/** Process id of the one that started it. */
export function parentOf(pid: number): number {
  return Number(/^PPid:\s+(\d+)$/m.exec(readProcessFile(String(pid), 'status'))?.[1]);
}

/** Whether a process is there and not only waiting to be reaped. */
function isAlive(pid: number): boolean {
  const status = readProcessFile(String(pid), 'status');
  return status !== '' && !/^State:\s+Z/m.test(status);
}

/** Whether a scanimage runs below this process. */
export function isScanimageRunning(): boolean {
  return processesBelow([process.pid]).some(({ name }) => name === 'scanimage');
}

/** What of the native programs below this process is still there when all should have ended. */
export function programsLeft(): Promise<readonly string[]> {
  return leftAfterAll(() => nativeProgramsBelow([process.pid]));
}

/** Command lines of every process below this one, for tests that look for a secret in them. */
export function commandLinesBelow(): string {
  return processesBelow([process.pid])
    .map(({ pid }) => readProcessFile(String(pid), 'cmdline'))
    .join('\n');
}

function readProcessFile(pid: string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // It ended meanwhile.
    return '';
  }
}
