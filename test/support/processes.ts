import { readdirSync, readFileSync } from 'node:fs';

/** Native programs that a scan starts; none of them may outlive it. */
const NATIVE_PROGRAMS = ['scanimage', 'ocrmypdf', 'tesseract', 'gs', 'jbig2'];

/**
 * Native programs that live below `ancestors`, as `pid name`. Processes of other people on this machine are theirs.
 */
function nativeProgramsBelow(ancestors: readonly number[]): string[] {
  const parents = new Map<number, number>();
  const names = new Map<number, string>();
  for (const entry of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const stat = readProcessFile(entry, 'stat');
    // The name is in brackets and may hold spaces; state and parent follow it.
    const match = /^\d+ \((?<name>.*)\) (?<state>\S) (?<parent>\d+)/s.exec(stat);
    if (match?.groups && match.groups['state'] !== 'Z') {
      parents.set(Number(entry), Number(match.groups['parent']));
      names.set(Number(entry), match.groups['name'] ?? '');
    }
  }
  const isBelow = (pid: number): boolean => {
    for (let at: number | undefined = pid; at !== undefined && at > 1; at = parents.get(at)) {
      if (ancestors.includes(at)) return true;
    }
    return false;
  };
  return [...names]
    .filter(([pid, name]) => NATIVE_PROGRAMS.includes(name) && isBelow(pid))
    .map(([pid, name]) => `${pid} ${name}`);
}

/** How long a program that was told to end may take; a killed one is gone within some milliseconds. */
const END_MS = 2000;

/** Those of the processes that have not ended soon after they were told to. */
export async function stillAlive(pids: readonly number[]): Promise<number[]> {
  const until = Date.now() + END_MS;
  let alive = pids.filter(isAlive);
  // Nobody tells when a process of somebody else has ended.
  while (alive.length > 0 && Date.now() < until) {
    await new Promise((resolve) => setImmediate(resolve));
    alive = alive.filter(isAlive);
  }
  return alive;
}

/** Whether a process is there and not only waiting to be reaped. */
function isAlive(pid: number): boolean {
  const status = readProcessFile(String(pid), 'status');
  return status !== '' && !/^State:\s+Z/m.test(status);
}

/** What of the native programs below this process is still there when all should have ended. */
export async function programsLeft(): Promise<string[]> {
  const until = Date.now() + END_MS;
  let left = nativeProgramsBelow([process.pid]);
  // Nobody tells when a process of somebody else has ended.
  while (left.length > 0 && Date.now() < until) {
    await new Promise((resolve) => setImmediate(resolve));
    left = nativeProgramsBelow([process.pid]);
  }
  return left;
}

/** Command lines of all processes, for tests that look for a secret in them. */
export function allCommandLines(): string {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readProcessFile(pid, 'cmdline'))
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
