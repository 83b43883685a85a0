import { createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { programEnvironment, startProgram } from '../../helpers/child-process.ts';
import { DemoError } from './demo-error.ts';

const CHECKOUT = join(import.meta.dirname, '..', '..');

/** In milliseconds. Loading all modules takes 2 s on a small computer, 100 s on an emulated one. */
const READY_WITHIN_MS = 240_000;

/** In milliseconds. */
const ASK_EVERY_MS = 100;

/** In milliseconds. A starting part may accept a connection but not respond. */
const ANSWER_WITHIN_MS = 5000;

/** In milliseconds. From SIGTERM to SIGKILL. */
const STOP_WITHIN_MS = 3000;

const PASSED_ON = ['TMPDIR', 'NODE_EXTRA_CA_CERTS', 'NODE_COMPILE_CACHE'];

export interface Part {
  readonly title: string;
  readonly logFile: string;
  /** Rejects with a DemoError if the program exits without being stopped. */
  readonly died: Promise<never>;
  /** Resolves when `url` returns 200. Rejects with a DemoError that contains the last response. */
  readonly ready: (url: string, signal: AbortSignal) => Promise<void>;
  readonly stop: () => Promise<void>;
}

export interface PartOptions {
  readonly title: string;
  /** Relative to the checkout. */
  readonly main: string;
  readonly env: Readonly<Record<string, string>>;
  readonly logs: string;
}

/** Starts a program of the product. Its output goes to a log file. */
export function startPart({ title, main, env, logs }: PartOptions): Part {
  const logFile = join(logs, `${title.replaceAll(' ', '-')}.log`);
  const program = {
    file: process.execPath,
    args: [join(CHECKOUT, main)],
    cwd: CHECKOUT,
    env: programEnvironment({ ...machineVariables(), ...env }),
  };
  const running = startProgram(program, { timeoutMs: 0, keepOutput: false });
  const log = createWriteStream(logFile);
  running.stdout.pipe(log, { end: false });
  running.stderr.pipe(log, { end: false });
  const died = running.ended.then(async (ended): Promise<never> => {
    log.end();
    await finished(log);
    const how = ended.signal ?? `exit code ${ended.exitCode ?? 'unknown'}`;
    throw new DemoError(`The ${title} exited unexpectedly (${how}).`, { logFile });
  });
  // Until a caller awaits it, a rejection must not count as unhandled.
  died.catch(() => {});
  return {
    title,
    logFile,
    died,
    ready: (url, signal) => answers(url, { title, logFile, signal }),
    stop: async () => {
      running.kill('SIGTERM');
      const late = new AbortController();
      void sleep(STOP_WITHIN_MS, undefined, { signal: late.signal }).then(
        () => running.kill('SIGKILL'),
        () => {},
      );
      await running.ended;
      late.abort();
      await finished(log).catch(() => {});
    },
  };
}

interface Question {
  readonly title: string;
  readonly logFile: string;
  readonly signal: AbortSignal;
}

async function answers(url: string, { title, logFile, signal }: Question): Promise<void> {
  const deadline = performance.now() + READY_WITHIN_MS;
  let last = 'no answer';
  while (performance.now() < deadline) {
    signal.throwIfAborted();
    const answer = await ask(url);
    if (answer.status === 200) return;
    last = answer.text;
    await sleep(ASK_EVERY_MS, undefined, { signal });
  }
  throw new DemoError(
    `The ${title} was not ready within ${READY_WITHIN_MS / 1000} s. GET ${url}: ${last}`,
    { logFile },
  );
}

async function ask(url: string): Promise<{ status: number; text: string }> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    return { status: response.status, text: `${response.status} ${await response.text()}` };
  } catch (error) {
    const cause = error instanceof Error ? (error.cause ?? error) : error;
    return { status: 0, text: String(cause) };
  }
}

function machineVariables(): Record<string, string> {
  const entries = PASSED_ON.map((name) => [name, process.env[name]] as const);
  return Object.fromEntries(
    entries.filter((entry): entry is readonly [string, string] => entry[1] !== undefined),
  );
}
