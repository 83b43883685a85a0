import { EventEmitter } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import {
  programEnvironment,
  startProgram,
  type RunningProgram,
} from '../../../helpers/child-process.ts';
import { within } from '../within.ts';
import { COMPILE_CACHE, runScript } from '../programs.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');

/** Upper bound for an expected log line on a machine busy with OCR. */
const LINE_MS = 30_000;

/** A part may first finish its page or scan; beyond this limit it is considered hung. */
const STOP_MS = 60_000;

/** Programs are killed after this long, which exceeds any test or benchmark run. */
const LIFETIME_MS = 8 * 60 * 60_000;

/** A program of the appliance, started as an operator starts it. */
export interface Part {
  readonly name: string;
  /** The port from its log, for parts that listen on one. */
  readonly port: () => number;
  /** Everything the program has written, across restarts. */
  readonly output: () => string;
  /** Resolves with the next matching line. Call it before triggering that line. */
  nextLine(pattern: RegExp): Promise<string>;
  readonly pid: () => number;
  start(): Promise<void>;
  /** Resolves with the exit code, or undefined if a signal killed the program. */
  stop(signal?: 'SIGTERM' | 'SIGKILL' | 'SIGINT'): Promise<number | undefined>;
  freeze(): void;
  thaw(): void;
}

/**
 * Prepares a program; `script` is relative to the repository root. `start` waits for its ready
 * line.
 */
export function createPart(
  name: string,
  script: string,
  environment: () => Record<string, string>,
  { nodeOptions = [] }: { readonly nodeOptions?: readonly string[] } = {},
): Part {
  let running: RunningProgram | undefined;
  let port = 0;
  const output: string[] = [];
  const events = new EventEmitter<{ line: [string] }>().setMaxListeners(0);
  events.on('line', (line) => output.push(line));

  const nextLine = (pattern: RegExp): Promise<string> => {
    const matched = new Promise<string>((resolve) => {
      events.on('line', function look(line: string) {
        if (!pattern.test(line)) return;
        events.off('line', look);
        resolve(line);
      });
    });
    return within(LINE_MS, matched, `a line of ${name} like ${pattern}`);
  };

  const alive = (): RunningProgram => {
    if (!running) throw new Error(`${name} is not running`);
    return running;
  };

  return {
    name,
    port: () => port,
    output: () => output.join('\n'),
    nextLine,
    pid: () => alive().pid ?? 0,
    start: async () => {
      const program = startProgram(
        {
          file: process.execPath,
          args: [...nodeOptions, path.join(ROOT, script)],
          cwd: ROOT,
          env: programEnvironment({ ...COMPILE_CACHE, ...environment() }),
        },
        { timeoutMs: LIFETIME_MS },
      );
      running = program;
      const ready = nextLine(/"(?:event|msg)":"(?:listening|ready)"/);
      for (const stream of [program.stdout, program.stderr]) {
        createInterface({ input: stream }).on('line', (line) => events.emit('line', line));
      }
      const died = program.ended.then((ended) => {
        throw new Error(`${name} ended at its start:\n${ended.stdout}\n${ended.stderr}`);
      });
      died.catch(() => {});
      const line = await Promise.race([ready, died]);
      port = Number(/"port":(\d+)/.exec(line)?.[1] ?? 0);
    },
    stop: async (signal = 'SIGTERM') => {
      if (!running) return undefined;
      const program = running;
      running = undefined;
      // Signals only the process itself: tests check that it ends its children.
      process.kill(program.pid ?? 0, 'SIGCONT');
      process.kill(program.pid ?? 0, signal);
      return (await within(STOP_MS, program.ended, `the end of ${name}`)).exitCode;
    },
    freeze: () => void process.kill(alive().pid ?? 0, 'SIGSTOP'),
    thaw: () => void process.kill(alive().pid ?? 0, 'SIGCONT'),
  };
}

export async function refusalOf(
  script: string,
  environment: Record<string, string>,
): Promise<string> {
  const { exitCode, stdout, stderr } = await runScript(script, [], environment);
  if (exitCode !== 1 || stdout !== '')
    throw new Error(`ended with ${exitCode}: ${stdout}${stderr}`);
  return stderr;
}
