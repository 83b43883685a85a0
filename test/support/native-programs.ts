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

/** Programs that a scan may start, by their names in /proc. */
const NATIVE_PROGRAMS = ['scanimage', 'tesseract', 'ocrmypdf', 'gs', 'jbig2', 'python3'];

const LOOK_EVERY_MS = 2;

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
 * Resolves with the id of a program whose working directory or command line names `directory`. Use
 * a directory of the test's own, since other tests may be running.
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
    // The processor occasionally asks Tesseract for its languages; that is not a page.
    const isQuestion = /--(?:list-langs|version)/.test(readProcess(pid, 'cmdline'));
    return names.includes(nameOf(pid)) && !isQuestion;
  });
}

/** Resolves with the id of a Python worker that has its own directory, which means it is busy. */
export function workingPythonBelow(ancestor: number): Promise<number> {
  const isWorking = (pid: number): boolean =>
    nameOf(pid) === 'python3' && /^\/./.test(linkOfProcess(pid, 'cwd'));
  return untilThere('Python with a job', () => descendantsOf(ancestor), isWorking);
}

/** Signals a descendant with one of these names. If it ends first, waits for the next one. */
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

/** Reads the kernel's lists of children, which is faster than scanning /proc. */
function descendantsOf(pid: number): number[] {
  const children = readProcess(pid, `task/${pid}/children`).split(' ').filter(Boolean).map(Number);
  return children.flatMap((child) => [child, ...descendantsOf(child)]);
}

/** Native programs still running: descendants, and orphans that use one of the directories. */
export async function nativeProgramsLeft(directories: readonly string[]): Promise<string[]> {
  const left = await remainingAfterWait(() =>
    allProcesses()
      .filter(({ name, isOver }) => !isOver && NATIVE_PROGRAMS.includes(name))
      .filter(({ pid }) => directories.some((directory) => mentionsDirectory(pid, directory)))
      .map(({ pid, name }) => `${pid} ${name}`),
  );
  return [...new Set([...left, ...(await programsLeft())])];
}

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
  // Empty if the file was closed after it was listed.
  const open = descriptorsOf(pid).flatMap((name) => linkOfProcess(pid, `fd/${name}`) || []);
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readProcess(pid, 'status'))?.[1];
  return {
    descriptors: open.length,
    sockets: open.filter((target) => target.startsWith('socket:')).length,
    children: descendantsOf(pid).length,
    megabytes: Number(kilobytes) / 1024,
  };
}
