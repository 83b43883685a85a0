import { setTimeout as wait } from 'node:timers/promises';
import { errorCode } from '../../helpers/error-code.ts';
import {
  allProcesses,
  descriptorsOf,
  mentionsDirectory,
  remainingAfterWait,
  linkOfProcess,
  processOf,
  programsLeft,
  readProcess,
} from './processes.ts';

/** Programs a scan may start, by their kernel names. */
const NATIVE_PROGRAMS = ['scanimage', 'tesseract', 'ocrmypdf', 'gs', 'jbig2', 'python3'];

/** Processes that are not our children can only be polled, in /proc. */
const LOOK_EVERY_MS = 2;

/** Upper bound for the start of a program on a machine busy with OCR. */
const START_MS = 60_000;

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
 * Waits for a program with the directory in its working directory or command line. The directory
 * must be the test's own, as other tests may be running. Resolves with its id.
 */
export function startedProgram(name: string, directory: string): Promise<number> {
  const all = (): number[] => allProcesses().map(({ pid }) => pid);
  return untilThere(`${name} in ${directory}`, all, (pid) => {
    if (nameOf(pid) !== name) return false;
    const isAtWork = linkOfProcess(pid, 'cwd').startsWith(directory);
    return isAtWork || readProcess(pid, 'cmdline').includes(directory);
  });
}

export function programBelow(ancestor: number, names: readonly string[]): Promise<number> {
  const below = (): number[] => descendantsOf(ancestor);
  return untilThere(`${names.join(' or ')} below ${ancestor}`, below, (pid) => {
    // The processor occasionally asks Tesseract for its languages.
    const isQuestion = /--(?:list-langs|version)/.test(readProcess(pid, 'cmdline'));
    return names.includes(nameOf(pid)) && !isQuestion;
  });
}

/** Waits for a busy Python worker, which has a directory of its own; resolves with its id. */
export function workingPythonBelow(ancestor: number): Promise<number> {
  const isWorking = (pid: number): boolean =>
    nameOf(pid) === 'python3' && /^\/./.test(linkOfProcess(pid, 'cwd'));
  return untilThere('Python with a job', () => descendantsOf(ancestor), isWorking);
}

/** Signals a descendant with one of these names. If it has just ended, waits for the next one. */
export async function signalBelow(
  ancestor: number,
  names: readonly string[],
  signal: NodeJS.Signals,
): Promise<void> {
  while (!sendSignal(await programBelow(ancestor, names), signal));
}

/** Returns false if the process has already ended. */
export function sendSignal(pid: number, signal: NodeJS.Signals): boolean {
  try {
    return process.kill(pid, signal);
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return false;
    throw error;
  }
}

/** Faster than scanning all of /proc. */
function descendantsOf(pid: number): number[] {
  const children = readProcess(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Programs still running at the end: descendants, and orphans recognised by these directories. */
export async function nativeProgramsLeft(directories: readonly string[]): Promise<string[]> {
  const left = await remainingAfterWait(() =>
    allProcesses()
      .filter(({ name, isOver }) => !isOver && NATIVE_PROGRAMS.includes(name))
      .filter(({ pid }) => directories.some((directory) => mentionsDirectory(pid, directory)))
      .map(({ pid, name }) => `${pid} ${name}`),
  );
  return [...new Set([...left, ...(await programsLeft())])];
}

/** Empty if the process has ended. */
function nameOf(pid: number): string {
  const { name = '', isOver = true } = processOf(pid) ?? {};
  return isOver ? '' : name;
}

export interface Resources {
  readonly descriptors: number;
  readonly sockets: number;
  readonly children: number;
  readonly megabytes: number;
}

export function resourcesOf(pid: number): Resources {
  // Empty if it was closed while we looked.
  const open = descriptorsOf(pid).flatMap((name) => linkOfProcess(pid, `fd/${name}`) || []);
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProcess(pid, 'status'))?.[1];
  return {
    descriptors: open.length,
    sockets: open.filter((target) => target.startsWith('socket:')).length,
    children: descendantsOf(pid).length,
    megabytes: Number(kilobytes) / 1024,
  };
}
