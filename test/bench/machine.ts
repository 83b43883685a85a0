import { readFileSync } from 'node:fs';
import os from 'node:os';
import { setTimeout as wait } from 'node:timers/promises';
import { programEnvironment, runProgram } from '../../helpers/child-process.ts';

/** Unit of the times in /proc/stat; see proc(5). */
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

export async function describeMachine(): Promise<Machine> {
  const [load = 0] = os.loadavg();
  return {
    cpu: os.cpus()[0]?.model ?? 'unknown',
    cores: os.availableParallelism(),
    memory_gb: Math.round(os.totalmem() / 1e9),
    node: process.version,
    kernel: os.release(),
    tools: {
      ocrmypdf: await versionOf('ocrmypdf'),
      tesseract: await versionOf('tesseract'),
      ghostscript: await versionOf('gs'),
      img2pdf: await versionOf('img2pdf'),
      scanimage: await versionOf('scanimage'),
    },
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
