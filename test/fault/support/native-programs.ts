import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { errorCode } from '../../../helpers/error-code.ts';
import { leftAfterAll, programsLeft } from '../../support/processes.ts';

/** Native programs that a scan starts, by the names that the kernel has for them. */
const NATIVE_PROGRAMS = ['scanimage', 'tesseract', 'ocrmypdf', 'gs', 'jbig2', 'python3'];

/** How often /proc is looked at: nobody tells when a process of somebody else begins or ends. */
const LOOK_EVERY_MS = 2;

/** For a program to be started, on a machine that is busy with OCR. */
const START_MS = 20_000;

/** Waits until a process below that one is as it is wanted; resolves with its id. */
async function untilBelow(
  ancestor: number,
  isWanted: (pid: number) => boolean,
  what: string,
): Promise<number> {
  const until = performance.now() + START_MS;
  while (performance.now() < until) {
    const found = descendantsOf(ancestor).find(isWanted);
    if (found !== undefined) return found;
    await wait(LOOK_EVERY_MS);
  }
  throw new Error(`no ${what} was there below ${ancestor}`);
}

/** Waits until a program of one of these names runs below the process; resolves with its id. */
export function programBelow(ancestor: number, names: readonly string[]): Promise<number> {
  const isWanted = (pid: number): boolean => names.includes(nameOf(pid)) && !isQuestion(pid);
  return untilBelow(ancestor, isWanted, names.join(' or '));
}

/** Waits until a Python of the processor does a job: it then works in a directory of its own; resolves with its id. */
export function workingPythonBelow(ancestor: number): Promise<number> {
  const isWorking = (pid: number): boolean =>
    nameOf(pid) === 'python3' && /^\/./.test(read(() => readlinkSync(`/proc/${pid}/cwd`)));
  return untilBelow(ancestor, isWorking, 'Python with a job');
}

/** Whether a program was only asked what it can do, as Tesseract is for its languages every now and then. */
function isQuestion(pid: number): boolean {
  return /--(?:list-langs|version)/.test(read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8')));
}

/** Sends a signal to a program of one of these names below the process; to the next one, where it has just ended. */
export async function signalBelow(
  ancestor: number,
  names: readonly string[],
  signal: NodeJS.Signals,
): Promise<void> {
  while (!sendSignal(await programBelow(ancestor, names), signal));
}

/** Sends a signal; false where the process has ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    throw error;
  }
}

/** Ids of the processes below one. */
function descendantsOf(pid: number): number[] {
  const children = read(() => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8'))
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/**
 * Native programs that are still there when all should have ended: those below this process, and those that lost their
 * parents and can be told by the directories that they work in.
 */
export async function nativeProgramsLeft(directories: readonly string[]): Promise<string[]> {
  const left = await leftAfterAll(() => programsIn(directories));
  return [...new Set([...left, ...(await programsLeft())])];
}

function programsIn(directories: readonly string[]): string[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && NATIVE_PROGRAMS.includes(nameOf(pid)))
    .filter((pid) => directories.some((directory) => knows(pid, directory)))
    .map((pid) => `${pid} ${nameOf(pid)}`);
}

function knows(pid: number, directory: string): boolean {
  return (
    read(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(directory) ||
    ['cmdline', 'environ'].some((file) =>
      read(() => readFileSync(`/proc/${pid}/${file}`, 'utf8')).includes(directory),
    )
  );
}

/** Empty for a process that is gone, or has ended and only waits to be noticed by its parent. */
function nameOf(pid: number): string {
  const stat = read(() => readFileSync(`/proc/${pid}/stat`, 'utf8'));
  const { name = '', state = 'Z' } = /\((?<name>.*)\) (?<state>\S)/s.exec(stat)?.groups ?? {};
  return state === 'Z' ? '' : name;
}

function read(reading: () => string): string {
  try {
    return reading();
  } catch {
    // It ended meanwhile.
    return '';
  }
}

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
