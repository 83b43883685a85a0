import { setTimeout as wait } from 'node:timers/promises';
import { errorCode } from '../../helpers/error-code.ts';
import {
  allProcesses,
  descriptorsOf,
  knowsDirectory,
  leftAfterAll,
  linkOfProcess,
  processOf,
  programsLeft,
  readProcess,
} from './processes.ts';

/** Native programs that a scan starts, by the names that the kernel has for them. */
const NATIVE_PROGRAMS = ['scanimage', 'tesseract', 'ocrmypdf', 'gs', 'jbig2', 'python3'];

/** How often /proc is looked at: nobody tells when a process of somebody else begins or ends. */
const LOOK_EVERY_MS = 2;

/** For a program to be started, on a machine that is busy with OCR. */
const START_MS = 60_000;

/** Waits until one of the processes is as it is wanted; resolves with its id. */
async function untilThere(
  what: string,
  pids: () => readonly number[],
  isWanted: (pid: number) => boolean,
): Promise<number> {
  const until = performance.now() + START_MS;
  while (performance.now() < until) {
    const found = pids().find(isWanted);
    if (found !== undefined) return found;
    await wait(LOOK_EVERY_MS);
  }
  throw new Error(`no ${what}`);
}

/**
 * Waits until a program of that name works in the directory, or has it in its command line; resolves with its id. The directory is to be
 * the test's own, since the machine may run other tests.
 */
export function startedProgram(name: string, directory: string): Promise<number> {
  const all = (): number[] => allProcesses().map(({ pid }) => pid);
  return untilThere(`${name} in ${directory}`, all, (pid) => {
    if (nameOf(pid) !== name) return false;
    const isAtWork = linkOfProcess(pid, 'cwd').startsWith(directory);
    return isAtWork || readProcess(pid, 'cmdline').includes(directory);
  });
}

/** Waits until a program of one of these names runs below the process; resolves with its id. */
export function programBelow(ancestor: number, names: readonly string[]): Promise<number> {
  const below = (): number[] => descendantsOf(ancestor);
  return untilThere(`${names.join(' or ')} below ${ancestor}`, below, (pid) => {
    // Tesseract is asked for its languages every now and then.
    const isQuestion = /--(?:list-langs|version)/.test(readProcess(pid, 'cmdline'));
    return names.includes(nameOf(pid)) && !isQuestion;
  });
}

/** Waits until a Python of the processor does a job: it then works in a directory of its own; resolves with its id. */
export function workingPythonBelow(ancestor: number): Promise<number> {
  const isWorking = (pid: number): boolean =>
    nameOf(pid) === 'python3' && /^\/./.test(linkOfProcess(pid, 'cwd'));
  return untilThere('Python with a job', () => descendantsOf(ancestor), isWorking);
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

/** Ids of the processes below one, quicker than by a look at all. */
function descendantsOf(pid: number): number[] {
  const children = readProcess(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/**
 * Native programs that are still there when all should have ended: those below this process, and those that lost their
 * parents and can be told by the directories that they work in.
 */
export async function nativeProgramsLeft(directories: readonly string[]): Promise<string[]> {
  const left = await leftAfterAll(() =>
    allProcesses()
      .filter(({ name, isOver }) => !isOver && NATIVE_PROGRAMS.includes(name))
      .filter(({ pid }) => directories.some((directory) => knowsDirectory(pid, directory)))
      .map(({ pid, name }) => `${pid} ${name}`),
  );
  return [...new Set([...left, ...(await programsLeft())])];
}

/** Empty for a process that is gone, or has ended. */
function nameOf(pid: number): string {
  const { name = '', isOver = true } = processOf(pid) ?? {};
  return isOver ? '' : name;
}

export interface Resources {
  readonly descriptors: number;
  readonly sockets: number;
  readonly children: number;
  /** Resident memory. */
  readonly megabytes: number;
}

export function resourcesOf(pid: number): Resources {
  // Empty where it was closed meanwhile.
  const open = descriptorsOf(pid).flatMap((name) => linkOfProcess(pid, `fd/${name}`) || []);
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProcess(pid, 'status'))?.[1];
  return {
    descriptors: open.length,
    sockets: open.filter((target) => target.startsWith('socket:')).length,
    children: descendantsOf(pid).length,
    megabytes: Number(kilobytes) / 1024,
  };
}
