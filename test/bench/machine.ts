import { readFileSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { allProcesses, processesBelow, readProcess, type Process } from '../support/processes.ts';
import { run } from '../support/programs.ts';
import { sum } from './statistics.ts';

/** USER_HZ (proc(5)), which is 100 on every Linux that Node supports. */
const TICKS_PER_SECOND = 100;

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly node: string;
  readonly kernel: string;
  readonly tools: Readonly<Record<string, string>>;
}

/** A tool, and its program if named differently. */
const TOOLS = [
  ['ocrmypdf'],
  ['tesseract'],
  ['ghostscript', 'gs'],
  ['img2pdf'],
  ['scanimage'],
] as const;

export async function describeMachine(): Promise<Machine> {
  return {
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memory_gb: Math.round(os.totalmem() / 1e9),
    node: process.version,
    kernel: os.release(),
    tools: Object.fromEntries(
      await Promise.all(TOOLS.map(async ([name, file = name]) => [name, await versionOf(file)])),
    ),
  };
}

async function versionOf(file: string): Promise<string> {
  const { stdout, stderr } = await run(file, ['--version']);
  return /\d+\.\d[\w.+~-]*/.exec(stdout + stderr)?.[0] ?? 'missing';
}

/** CPU-seconds of all cores together, including time stolen by the host. */
export function machineCpuSeconds(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  // Fields: user nice system idle iowait irq softirq steal. `user` already includes guest time.
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

export function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Often enough to catch every Tesseract. Reading /proc takes about 2 ms. */
const SAMPLE_MS = 200;

/** Peak memory (VmHWM, in MB of 10^6 bytes) of the largest process of each name. */
export type PeakMemory = Readonly<Record<string, number>>;

/**
 * CPU-seconds per root: its own, those of its ended children (`programs of …`), and those of
 * running children (`workers of …`).
 */
export type CpuShares = Readonly<Record<string, number>>;

interface TreeWatch {
  stop(): { cpuSeconds: number; cpuShares: CpuShares; peakMb: PeakMemory };
}

/**
 * Watches processes and their descendants. `roots` are process ids by display name; their memory
 * peaks are reset first. Ended children count through the parents that waited for them.
 */
export function watchTree(roots: Readonly<Record<string, number>>): TreeWatch {
  const names = new Map(Object.entries(roots).map(([name, pid]) => [pid, name]));
  for (const pid of names.keys()) resetPeak(pid);
  const before = cpuSharesOf(roots);
  const peaks = new Map<string, number>();
  const sample = (): void => {
    for (const { pid, name: program } of treeOf([...names.keys()])) {
      const name = names.get(pid) ?? program;
      // Skips a child that has not yet called exec: its memory is a copy of its parent's.
      if (names.has(pid) || !/^(?:node|MainThread|setpriv)$/.test(name)) {
        peaks.set(name, Math.max(peaks.get(name) ?? 0, peakMb(pid)));
      }
    }
  };
  const timer = setInterval(sample, SAMPLE_MS);
  return {
    stop: () => {
      clearInterval(timer);
      sample();
      const cpuShares = Object.fromEntries(
        Object.entries(cpuSharesOf(roots)).map(([name, s]) => [name, s - (before[name] ?? 0)]),
      );
      const cpuSeconds = sum(Object.values(cpuShares));
      return { cpuSeconds, cpuShares, peakMb: Object.fromEntries(peaks) };
    },
  };
}

function cpuSharesOf(roots: Readonly<Record<string, number>>): Record<string, number> {
  const shares: Record<string, number> = {};
  for (const [name, root] of Object.entries(roots)) {
    const tree = treeOf([root]);
    const own = tree.find(({ pid }) => pid === root)?.ownCpuMs ?? 0;
    shares[name] = own / 1000;
    shares[`programs of ${name}`] = sum(tree.map(({ endedCpuMs }) => endedCpuMs)) / 1000;
    shares[`workers of ${name}`] = (sum(tree.map(({ ownCpuMs }) => ownCpuMs)) - own) / 1000;
  }
  return shares;
}

export const residentMb = (pid: number): number => statusMb(pid, 'VmRSS');

/** The process's peak memory since its start or the last reset. */
export const peakMb = (pid: number): number => statusMb(pid, 'VmHWM');

export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function treeOf(roots: readonly number[]): Process[] {
  const all = allProcesses();
  return [...all.filter(({ pid }) => roots.includes(pid)), ...processesBelow(roots, all)];
}

function statusMb(pid: number, field: string): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readProcess(pid, 'status'));
  return (Number(match?.[1] ?? 0) * 1024) / 1e6;
}
