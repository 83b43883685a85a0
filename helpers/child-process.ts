import { execa } from 'execa';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

/**
 * The only module that starts native programs. Every program runs without a shell, in a process group of its own that
 * is killed as a whole, with only the environment it is given, and dies with us: `setpriv --pdeathsig KILL` (from
 * util-linux) has the kernel end it even when this process is killed with SIGKILL.
 */
export interface Program {
  /** Name or path; a name is looked up in the PATH of `env`. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment of the program; see `programEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
}

export interface RunOptions {
  /** The program is ended when it takes longer, in milliseconds. */
  readonly timeoutMs: number;
  /** Ends the program when aborted. */
  readonly signal?: AbortSignal;
  /** What a program is sent that is aborted or out of time, before it is killed; SIGTERM by default. */
  readonly endBy?: 'SIGINT' | 'SIGTERM';
  /**
   * `false` for a program that runs for days: what it prints is not kept for `ended`, which then has empty texts. The caller
   * must read stdout and stderr to their ends.
   */
  readonly keepOutput?: boolean;
  /**
   * Address space of the program, and of each that it starts, in bytes (`prlimit --as`, from util-linux): a program that
   * wants more fails by itself, instead of taking the memory of everything else.
   */
  readonly memoryBytes?: number;
  /** File that standard output is written to instead, byte by byte, for output that is not text; `runProgram` only. */
  readonly stdoutFile?: string;
}

/** How a program ended. A program that could not be started has the same shape, with `notFound` set. */
export interface Ended {
  readonly exitCode: number | undefined;
  /** Name of the signal that ended it, if one did. */
  readonly signal: string | undefined;
  readonly stdout: string;
  readonly stderr: string;
  readonly timedOut: boolean;
  readonly cancelled: boolean;
  readonly notFound: boolean;
  readonly durationMs: number;
}

export interface RunningProgram {
  readonly pid: number | undefined;
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Sends a signal to the whole process group. */
  readonly kill: (signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') => void;
  /** Resolves, and never rejects, when the program has ended and its output is read to the end. */
  readonly ended: Promise<Ended>;
}

/** Characters kept of stdout and of stderr; a program that prints more is broken and is ended. */
const MAX_OUTPUT_CHARACTERS = 4_000_000;

/** From the first signal to SIGKILL for a program that was cancelled or ran out of time: ours have nothing to save. */
const KILL_DELAY_MS = 1000;

/** The environment every program gets: a PATH, an English UTF-8 locale for messages that are parsed, and `extra`. */
export function programEnvironment(
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', HOME: '/nonexistent', ...extra };
}

/**
 * Runs a program to its end and tells how it ended; never throws for what the program does. Rejects when `stdoutFile`
 * cannot be written.
 */
export async function runProgram(program: Program, options: RunOptions): Promise<Ended> {
  const settings = { ...settingsOf(program, options), stdin: 'ignore' } as const;
  if (options.stdoutFile === undefined)
    return endOf(execa(...commandOf(program, options), settings));
  // A stream that is open already is handed to the program as its own: nothing passes through this process.
  const file = createWriteStream(options.stdoutFile, { mode: 0o600 });
  await once(file, 'open');
  try {
    return await endOf(execa(...commandOf(program, options), { ...settings, stdout: file }));
  } finally {
    file.destroy();
  }
}

/** Starts a program that is spoken to while it runs. The caller may read stdout and stderr; `ended` repeats both. */
export function startProgram(program: Program, options: RunOptions): RunningProgram {
  const child = execa(...commandOf(program, options), settingsOf(program, options));
  const ended = endOf(child);
  const { stdin, stdout, stderr } = child;
  // A write to a program that has just ended is not an error of its own: `ended` says how it ended.
  stdin.on('error', () => {});
  return {
    pid: child.pid,
    stdin,
    stdout,
    stderr,
    kill: (signal) => void child.kill(signal),
    ended,
  };
}

function commandOf({ file, args }: Program, { memoryBytes }: RunOptions): [string, string[]] {
  const dying = ['setpriv', '--pdeathsig', 'KILL', '--', file, ...args];
  if (memoryBytes === undefined) return ['setpriv', dying.slice(1)];
  return ['prlimit', [`--as=${memoryBytes}`, '--', ...dying]];
}

// The type of execa's result follows from the options; spelling it out would say them twice.
// oxlint-disable-next-line typescript/explicit-function-return-type
function settingsOf(program: Program, options: RunOptions) {
  return {
    cwd: program.cwd,
    env: program.env,
    extendEnv: false,
    stdin: 'pipe',
    reject: false,
    killDescendants: true,
    // The kernel ends it with us (pdeathsig). Execa's own way hooks the signals of this process, and ends it by the
    // signal that a `process.once` handler of ours is just about to answer.
    cleanup: false,
    timeout: options.timeoutMs,
    killSignal: options.endBy ?? 'SIGTERM',
    forceKillAfterDelay: KILL_DELAY_MS,
    maxBuffer: MAX_OUTPUT_CHARACTERS,
    buffer: options.keepOutput ?? true,
    ...(options.signal && { cancelSignal: options.signal }),
  } as const;
}

/** What is used of execa's result, whatever its options were. */
interface Result {
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly stdout?: unknown;
  readonly stderr?: unknown;
  readonly code?: string | undefined;
  readonly timedOut: boolean;
  readonly isCanceled: boolean;
  readonly durationMs: number;
}

async function endOf(child: PromiseLike<Result>): Promise<Ended> {
  const result = await child;
  const stderr = textOf(result.stderr);
  return {
    exitCode: result.exitCode,
    signal: result.signal,
    stdout: textOf(result.stdout),
    stderr,
    timedOut: result.timedOut,
    cancelled: result.isCanceled,
    notFound: result.code === 'ENOENT' || stderr.startsWith('setpriv: failed to execute'),
    durationMs: result.durationMs,
  };
}

/** Output that is not kept, or went to a file, is empty text. */
function textOf(output: unknown): string {
  return typeof output === 'string' ? output : '';
}
