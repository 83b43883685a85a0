import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { parentOf } from '../processes.ts';

/** Programs that were told to end as the test ended may take this long to be gone. */
const GONE_WITHIN_MS = 5000;
const LOOK_EVERY_MS = 50;

/** The native programs that the product starts. */
const NATIVE_TOOLS = ['scanimage', 'ocrmypdf', 'tesseract'];

/** Node's own cache, made in the temporary directory by tools that ask for it. */
const NOT_OURS = ['node-compile-cache'];

interface LeftProcess {
  readonly pid: number;
  readonly command: string;
}

/**
 * Processes that work in, were given or know by their environment the directory of a test that has ended. Waits for those
 * that are just ending.
 */
export async function processesOf(directory: string): Promise<LeftProcess[]> {
  const giveUpAt = Date.now() + GONE_WITHIN_MS;
  for (;;) {
    const left = allProcesses().filter(({ pid }) => knows(pid, directory));
    if (left.length === 0 || Date.now() > giveUpAt) return left;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Names of what a test left in its own temporary directory. */
export function filesOf(directory: string): string[] {
  return readdirSync(directory).filter((name) => !NOT_OURS.includes(name));
}

/** Native programs started since `since` (ms since 1970) that nobody waits for any more: their parents died. */
export function orphanedTools(since: number): string[] {
  return allProcesses()
    .filter(({ pid, command }) => isTool(command) && parentOf(pid) === 1 && startedAt(pid) >= since)
    .map(({ pid, command }) => `${pid} ${command}`);
}

function allProcesses(): LeftProcess[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map((name) => ({ pid: Number(name), command: commandOf(Number(name)) }))
    .filter(({ command }) => command !== '');
}

/** Empty for a process that is gone, and for one that has ended and only waits to be noticed by its parent. */
function commandOf(pid: number): string {
  return read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trim());
}

function knows(pid: number, directory: string): boolean {
  return (
    commandOf(pid).includes(directory) ||
    read(() => readlinkSync(`/proc/${pid}/cwd`)).startsWith(directory) ||
    read(() => readFileSync(`/proc/${pid}/environ`, 'utf8')).includes(directory)
  );
}

function isTool(command: string): boolean {
  return command.split(' ', 3).some((word) => NATIVE_TOOLS.includes(word.replace(/^.*\//, '')));
}

function startedAt(pid: number): number {
  // The directory of a process is as old as the process.
  return Number(read(() => String(statSync(`/proc/${pid}`).ctimeMs)) || Number.NaN);
}

/** What cannot be read belongs to somebody else, or is gone. */
function read(reading: () => string): string {
  try {
    return reading();
  } catch {
    return '';
  }
}
