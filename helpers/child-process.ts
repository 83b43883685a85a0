import { execa } from 'execa';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import type { Readable, Writable } from 'node:stream';

/**
 * The only module that starts native programs. They run without a shell, with only the given
 * environment, in process groups that are killed as a whole. `setpriv --pdeathsig KILL`
 * (util-linux) makes the kernel kill them when this process dies, even by SIGKILL.
 */
export interface Program {
  /** A path, or a name that is looked up in the PATH of `env`. */
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** Complete: nothing is inherited. See `programEnvironment`. */
  readonly env: Readonly<Record<string, string>>;
}

export interface RunOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Sent on abort or timeout, before SIGKILL. Default: SIGTERM. */
  readonly stopSignal?: 'SIGINT' | 'SIGTERM';
  /** `false`: the caller reads the streams, and `ended` has empty texts. */
  readonly keepOutput?: boolean;
  /** Address space per process (`prlimit --as`, util-linux): no program exhausts the memory. */
  readonly memoryBytes?: number;
  /** Receives standard output, for binary output. `runProgram` only. */
  readonly stdoutFile?: string;
}

/** `notFound`: the program could not be started. */
export interface Ended {
  readonly exitCode: number | undefined;
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
  readonly kill: (signal: 'SIGINT' | 'SIGTERM' | 'SIGKILL') => void;
  /** Resolves when the program has exited and its output has been read. Never rejects. */
  readonly ended: Promise<Ended>;
}

/** Limit for stdout and stderr each. A program that prints more is broken and is killed. */
const MAX_OUTPUT_CHARACTERS = 4_000_000;

/** Time from the first signal to SIGKILL. Our programs have nothing to save. */
const KILL_DELAY_MS = 1000;

/** PATH, and a UTF-8 locale with English messages, which are parsed. */
export function programEnvironment(
  extra: Readonly<Record<string, string>> = {},
): Record<string, string> {
  return { PATH: '/usr/local/bin:/usr/bin:/bin', LANG: 'C.UTF-8', HOME: '/nonexistent', ...extra };
}

/** Rejects only if `stdoutFile` cannot be written. */
export async function runProgram(program: Program, options: RunOptions): Promise<Ended> {
  const settings = { ...settingsOf(program, options), stdin: 'ignore' } as const;
  if (options.stdoutFile === undefined)
    return outcomeOf(execa(...commandOf(program, options), settings));
  // The program writes to the descriptor itself, so no data flows through this process.
  const file = createWriteStream(options.stdoutFile, { mode: 0o600 });
  await once(file, 'open');
  try {
    return await outcomeOf(execa(...commandOf(program, options), { ...settings, stdout: file }));
  } finally {
    file.destroy();
  }
}

/** Starts a program whose streams the caller uses. */
export function startProgram(program: Program, options: RunOptions): RunningProgram {
  const child = execa(...commandOf(program, options), settingsOf(program, options));
  const ended = outcomeOf(child);
  const { stdin, stdout, stderr } = child;
  // Writing fails once the program has exited; `ended` reports that.
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

// execa's result type is inferred from these options.
// oxlint-disable-next-line typescript/explicit-function-return-type
function settingsOf(program: Program, options: RunOptions) {
  return {
    cwd: program.cwd,
    env: program.env,
    extendEnv: false,
    stdin: 'pipe',
    reject: false,
    killDescendants: true,
    // pdeathsig replaces cleanup, whose hooks would raise a signal again before our `process.once`
    // handlers have responded.
    cleanup: false,
    timeout: options.timeoutMs,
    killSignal: options.stopSignal ?? 'SIGTERM',
    forceKillAfterDelay: KILL_DELAY_MS,
    maxBuffer: MAX_OUTPUT_CHARACTERS,
    buffer: options.keepOutput ?? true,
    ...(options.signal && { cancelSignal: options.signal }),
  } as const;
}

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

async function outcomeOf(child: PromiseLike<Result>): Promise<Ended> {
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

function textOf(output: unknown): string {
  return typeof output === 'string' ? output : '';
}
