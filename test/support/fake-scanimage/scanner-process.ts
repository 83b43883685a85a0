import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { programEnvironment, startProgram, type Ended } from '../../../helpers/child-process.ts';
import { within } from '../within.ts';

/** The scanner runtime as a process of its own, the way an operator runs it. */
export interface ScannerProcess {
  readonly pid: number;
  /** Every line of its log so far. */
  readonly lines: () => string[];
  /** Resolves at the next line that has the text in it. */
  readonly nextLine: (text: string) => Promise<string>;
  /** Sends the signal to the runtime alone, and not to its scanimage. */
  readonly signal: (signal: NodeJS.Signals) => void;
  readonly ended: Promise<Ended>;
}

const MAIN = path.resolve(import.meta.dirname, '../../../helpers/scanner/main.ts');
/** Longer than any test. */
const LIFETIME_MS = 60_000;
const START_MS = 20_000;

/** Starts it and resolves when it says that it is ready, or has ended. */
export async function startScanner(environment: Record<string, string>): Promise<ScannerProcess> {
  const program = startProgram(
    { file: process.execPath, args: [MAIN], cwd: '/', env: programEnvironment(environment) },
    { timeoutMs: LIFETIME_MS },
  );
  const lines: string[] = [];
  const waiting = new Set<(line: string) => void>();
  for (const input of [program.stdout, program.stderr]) {
    createInterface({ input }).on('line', (line) => {
      lines.push(line);
      for (const take of waiting) take(line);
    });
  }
  const nextLine = (text: string): Promise<string> => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const take = (line: string): void => {
      if (!line.includes(text)) return;
      waiting.delete(take);
      resolve(line);
    };
    waiting.add(take);
    return promise;
  };
  const ready = nextLine('"msg":"ready"');
  await within(START_MS, Promise.race([ready, program.ended]), 'the start of the scanner runtime');
  const pid = program.pid ?? 0;
  return {
    pid,
    lines: () => lines,
    nextLine,
    signal: (signal) => void process.kill(pid, signal),
    ended: program.ended,
  };
}

/** A directory for the socket, as private as it must be. */
export async function socketIn(directory: string): Promise<string> {
  const run = path.join(directory, 'run');
  await mkdir(run, { recursive: true, mode: 0o700 });
  return path.join(run, 'scanner.sock');
}
