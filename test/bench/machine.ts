import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { programEnvironment, runProgram } from '../../helpers/child-process.ts';
import { sum } from './statistics.ts';

/** Unit of the times in /proc/stat and /proc/<pid>/stat: USER_HZ, 100 a second on every Linux that Node runs on; see proc(5). */
const TICKS_PER_SECOND = 100;

/** For a program that only prints its version. */
const VERSION_MS = 20_000;

/** What the figures were measured on: without it they say nothing. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly memory_gb: number;
  readonly node: string;
  readonly kernel: string;
  readonly tools: Readonly<Record<string, string>>;
  /** Load average of the last minute when the run began. */
  readonly load_before: number;
}

/** Each with its program, where that has another name. */
const TOOLS = [
  ['ocrmypdf'],
  ['tesseract'],
  ['ghostscript', 'gs'],
  ['img2pdf'],
  ['scanimage'],
] as const;

export async function describeMachine(): Promise<Machine> {
  const [load = 0] = os.loadavg();
  return {
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memory_gb: Math.round(os.totalmem() / 1e9),
    node: process.version,
    kernel: os.release(),
    tools: Object.fromEntries(
      await Promise.all(TOOLS.map(async ([name, file = name]) => [name, await versionOf(file)])),
    ),
    load_before: load,
  };
}

async function versionOf(file: string): Promise<string> {
  const { stdout, stderr } = await runProgram(
    { file, args: ['--version'], cwd: '/', env: programEnvironment() },
    { timeoutMs: VERSION_MS },
  );
  return /\d+\.\d[\w.+~-]*/.exec(stdout + stderr)?.[0] ?? 'missing';
}

/** CPU-seconds that the whole machine has spent on anything, all cores together, time stolen by its host included. */
export function machineCpuSeconds(): number {
  const [line = ''] = readFileSync('/proc/stat', 'utf8').split('\n');
  // user nice system idle iowait irq softirq steal; guest times are in user already.
  const [user = 0, nice = 0, system = 0, , , irq = 0, softirq = 0, steal = 0] = line
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS_PER_SECOND;
}

/** Share of all cores that may be in use before a measurement begins. */
const QUIET_SHARE = 0.1;

/** Long enough for a share to mean something. */
const LOOK_MS = 1000;

/** Waits until the machine has little to do, or until `limitMs` have passed: then the figures will say how noisy it was. */
export async function waitForQuiet(
  cores: number,
  limitMs: number,
  signal: AbortSignal,
): Promise<void> {
  const until = performance.now() + limitMs;
  while (performance.now() < until) {
    const began = performance.now();
    const before = machineCpuSeconds();
    await wait(LOOK_MS, undefined, { signal });
    const seconds = (performance.now() - began) / 1000;
    if (machineCpuSeconds() - before < QUIET_SHARE * cores * seconds) return;
  }
}

/** CPU-seconds of this process. */
export function ownCpuSeconds(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
}

/** Often enough to meet every Tesseract; a walk through /proc takes about 2 ms. */
const SAMPLE_MS = 200;

interface ProcessFacts {
  readonly parent: number;
  readonly name: string;
  /** In seconds, without what it has started. */
  readonly ownCpu: number;
  /** Of its children that have ended. */
  readonly endedCpu: number;
}

/** Peak memory (VmHWM, in MB of 10^6 bytes) of each kind of process, the largest one of each name. */
export type PeakMemory = Readonly<Record<string, number>>;

/** CPU-seconds by who spent them: each root itself, what it or its workers started and that ended, and its workers, which live on. */
export type CpuShares = Readonly<Record<string, number>>;

interface TreeWatch {
  /** CPU-seconds since the beginning, and the peaks since then. */
  stop(): { cpuSeconds: number; cpuShares: CpuShares; peakMb: PeakMemory };
}

/**
 * Watches processes and everything below them. `roots` are process ids by the name that their memory is listed under; the
 * peaks of the roots are reset first. Children that ended are counted through their parents, which have waited for them.
 */
export function watchTree(roots: Readonly<Record<string, number>>): TreeWatch {
  const names = new Map(Object.entries(roots).map(([name, pid]) => [pid, name]));
  for (const pid of names.keys()) resetPeak(pid);
  const before = cpuSharesOf(roots);
  const peaks = new Map<string, number>();
  const sample = (): void => {
    const processes = readProcesses();
    for (const pid of treeOf(processes, [...names.keys()])) {
      const name = names.get(pid) ?? processes.get(pid)?.name ?? '';
      // A child that has not become its own program yet is a copy of its parent.
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
  const processes = readProcesses();
  const shares: Record<string, number> = {};
  for (const [name, root] of Object.entries(roots)) {
    const own = processes.get(root)?.ownCpu ?? 0;
    const tree = treeOf(processes, [root]).flatMap((pid) => processes.get(pid) ?? []);
    shares[name] = own;
    shares[`programs of ${name}`] = sum(tree.map(({ endedCpu }) => endedCpu));
    shares[`workers of ${name}`] = sum(tree.map(({ ownCpu }) => ownCpu)) - own;
  }
  return shares;
}

/** Resident memory of one process now, in MB. */
export const residentMb = (pid: number): number => statusMb(pid, 'VmRSS');

/** Largest resident memory of one process since its start or the last reset, in MB. */
export const peakMb = (pid: number): number => statusMb(pid, 'VmHWM');

/** Lets the peak of a process begin anew (proc(5), clear_refs). */
export function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5');
}

function treeOf(processes: ReadonlyMap<number, ProcessFacts>, roots: readonly number[]): number[] {
  const isBelow = (pid: number): boolean => {
    for (let at = pid; at > 1; at = processes.get(at)?.parent ?? 0) {
      if (roots.includes(at)) return true;
    }
    return false;
  };
  return [...processes.keys()].filter(isBelow);
}

function readProcesses(): Map<number, ProcessFacts> {
  const processes = new Map<number, ProcessFacts>();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    // The name is in brackets and may hold spaces and brackets.
    const match = /^\d+ \((?<name>.*)\) (?<rest>.*)$/s.exec(readProcessFile(entry, 'stat'));
    if (!match?.groups) continue;
    const fields = (match.groups['rest'] ?? '').split(' ').map(Number);
    const [, parent = 0] = fields;
    // utime, stime, cutime and cstime are fields 14 to 17 of proc(5); this list begins with field 3.
    const ownCpu = sum(fields.slice(11, 13)) / TICKS_PER_SECOND;
    const endedCpu = sum(fields.slice(13, 15)) / TICKS_PER_SECOND;
    const name = match.groups['name'] ?? '';
    processes.set(Number(entry), { parent, name, ownCpu, endedCpu });
  }
  return processes;
}

function statusMb(pid: number, field: string): number {
  const match = new RegExp(`^${field}:\\s+(\\d+) kB`, 'm').exec(readProcessFile(pid, 'status'));
  return (Number(match?.[1] ?? 0) * 1024) / 1e6;
}

function readProcessFile(pid: number | string, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    // It ended meanwhile.
    return '';
  }
}
