import path from 'node:path';
import { programEnvironment, startProgram } from '../../helpers/child-process.ts';
import { startClock } from './measurement.ts';
import { watchTree, type PeakMemory } from './process-tree.ts';

/** Fifty colour pages take the naive script seven minutes on two cores; a Raspberry Pi is five times slower. */
const SCRIPT_MS = 40 * 60_000;

export interface ScriptRun {
  readonly totalMs: number;
  readonly cpuSeconds: number;
  readonly foreignShare: number;
  readonly peakMb: PeakMemory;
}

export interface ScriptOptions {
  readonly directory: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly cores: number;
  readonly signal: AbortSignal;
}

/** Runs one of the shell scripts of this folder; throws with its output when it fails. */
export async function runScript(name: string, options: ScriptOptions): Promise<ScriptRun> {
  const { directory, environment = {}, cores, signal } = options;
  const script = {
    file: '/bin/sh',
    args: [path.join(import.meta.dirname, name)],
    cwd: directory,
    env: programEnvironment({ HOME: directory, ...environment }),
  };
  const stopClock = startClock(cores);
  const program = startProgram(script, { timeoutMs: SCRIPT_MS, signal });
  const watch = watchTree({ sh: program.pid ?? 0 });
  const ended = await program.ended;
  const { peakMb } = watch.stop();
  signal.throwIfAborted();
  if (ended.exitCode !== 0) {
    throw new Error(`${name} failed (${ended.exitCode}):\n${ended.stdout}\n${ended.stderr}`);
  }
  const cpuSeconds = cpuTimesOf(ended.stdout);
  return { ...stopClock(cpuSeconds), cpuSeconds, peakMb };
}

/** The sum of what the shell's `times` printed last: its own user and system time, and those of what it ran. */
export function cpuTimesOf(output: string): number {
  const lines = output.trim().split('\n').slice(-2).join(' ');
  const times = [...lines.matchAll(/(?<minutes>\d+)m(?<seconds>[\d.]+)s/g)];
  if (times.length !== 4) throw new Error(`no CPU times in: ${lines}`);
  return times.reduce(
    (total, { groups }) => total + Number(groups?.['minutes']) * 60 + Number(groups?.['seconds']),
    0,
  );
}
