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

/** For a line that a test waits for, the one at the end of a start among them, on a machine that is busy with OCR. */
const LINE_MS = 30_000;

/** A part may finish the page, or the scan, that it is at; longer is a hang. */
const STOP_MS = 60_000;

/** Longer than any run of the tests or the benchmark: it is ended by force then. */
const LIFETIME_MS = 8 * 60 * 60_000;

/** One process of the appliance: the real program, started as an operator would. */
export interface Part {
  readonly name: string;
  /** Port that it said it listens on, where it listens on one. */
  readonly port: () => number;
  /** Everything it has written, over all its lives. */
  readonly output: () => string;
  /** Resolves at the next line that matches; a test takes it before it does what makes the line come. */
  nextLine(pattern: RegExp): Promise<string>;
  readonly pid: () => number;
  start(): Promise<void>;
  /** Ends it and waits until it is gone; resolves with its exit code, undefined where a signal ended it. */
  stop(signal?: 'SIGTERM' | 'SIGKILL' | 'SIGINT'): Promise<number | undefined>;
  /** Stops it from doing anything, as a hung part would. */
  freeze(): void;
  thaw(): void;
}

/** A part that is not started yet. `script` is relative to the project; it is ready when its log says listening or ready. */
export function createPart(
  name: string,
  script: string,
  environment: () => Record<string, string>,
  /** Options of Node itself. */
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
      // Only the process itself: what it started is for it to end, and that is part of what is tested.
      process.kill(program.pid ?? 0, 'SIGCONT');
      process.kill(program.pid ?? 0, signal);
      return (await within(STOP_MS, program.ended, `the end of ${name}`)).exitCode;
    },
    freeze: () => void process.kill(alive().pid ?? 0, 'SIGSTOP'),
    thaw: () => void process.kill(alive().pid ?? 0, 'SIGCONT'),
  };
}

/** What a part says on stderr that cannot start in this environment: it must end by itself, with 1. */
export async function refusalOf(
  script: string,
  environment: Record<string, string>,
): Promise<string> {
  const { exitCode, stdout, stderr } = await runScript(script, [], environment);
  if (exitCode !== 1 || stdout !== '')
    throw new Error(`ended with ${exitCode}: ${stdout}${stderr}`);
  return stderr;
}
