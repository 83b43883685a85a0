import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv }} Surroundings
 * @typedef {{ code: number, output: string }} Ended `code`: exit code, or 128 + the signal that ended the program
 * @typedef {{ file: string, args: readonly string[], undisturbed?: boolean }} Command
 */

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** One Ctrl-C arrives twice, from the terminal and from npm, which passes it on: within this time it is one. */
const SAME_SIGNAL_MS = 500;

/** Output kept of a program that works in silence, to be shown if it fails: its end tells why. */
const KEPT_CHARACTERS = 20_000;

/**
 * Starts the programs of one set-up. While one runs, a signal that reaches this process is passed on to it; every program
 * is in a session of its own, so that a Ctrl-C reaches it once and through here only.
 */
export class Programs {
  /** @type {NodeJS.Signals | undefined} the signal that asked for the end, if one did */
  stoppedBy;
  /** @type {Promise<void>} resolves at the first signal */
  stopped;
  #onStopped = () => {};
  /** @type {(signal: NodeJS.Signals) => void} */
  #passOn = () => {};
  /** @type {Map<NodeJS.Signals, number>} when a signal came last */
  #cameAt = new Map();

  constructor() {
    this.stopped = new Promise((resolve) => {
      this.#onStopped = resolve;
    });
    for (const signal of SIGNALS) process.on(signal, () => this.stop(signal));
  }

  /**
   * Runs a program on this terminal to its end; resolves to its exit code, or 128 + the signal that ended it.
   *
   * @param {string} file
   * @param {readonly string[]} args
   */
  async foreground(file, args) {
    const ended = await this.#run(dieWithUs(file, args), { stdio: 'inherit' });
    return ended.code;
  }

  /**
   * Runs a program in silence; resolves to its exit code and the end of what it printed.
   *
   * @param {string} file
   * @param {readonly string[]} args
   * @param {Surroundings} [options]
   */
  async quietly(file, args, options = {}) {
    return this.#run(dieWithUs(file, args), { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /**
   * Like `quietly`, for a program that must not be interrupted: signals wait until it has ended.
   *
   * @param {string} file
   * @param {readonly string[]} args
   * @param {Surroundings} [options]
   */
  async undisturbed(file, args, options = {}) {
    const command = { file, args, undisturbed: true };
    return this.#run(command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** The exit code after a signal, as shells have it; undefined when none came. */
  get stoppedCode() {
    return this.stoppedBy === undefined ? undefined : 128 + constants.signals[this.stoppedBy];
  }

  /**
   * Ends what runs, and with it the set-up.
   *
   * @param {NodeJS.Signals} signal
   */
  stop(signal) {
    const now = performance.now();
    const again = now - (this.#cameAt.get(signal) ?? -Infinity) < SAME_SIGNAL_MS;
    this.#cameAt.set(signal, now);
    if (again) return;
    this.stoppedBy = signal;
    this.#onStopped();
    this.#passOn(signal);
  }

  /**
   * @param {Command} command
   * @param {import('node:child_process').SpawnOptions} options
   * @returns {Promise<Ended>}
   */
  #run({ file, args, undisturbed = false }, options) {
    return new Promise((resolve, reject) => {
      const child = spawn(file, args, { ...options, detached: true });
      let output = '';
      for (const stream of [child.stdout, child.stderr]) {
        stream?.setEncoding('utf8').on('data', (text) => {
          output = (output + text).slice(-KEPT_CHARACTERS);
        });
      }
      if (!undisturbed) this.#passOn = (signal) => void child.kill(signal);
      child.once('error', reject);
      child.once('close', (code, signal) => {
        this.#passOn = () => {};
        resolve({ code: code ?? 128 + constants.signals[signal ?? 'SIGKILL'], output });
      });
    });
  }
}

/**
 * The kernel ends the program when this process is killed with SIGKILL; nothing else could.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @returns {Command}
 */
function dieWithUs(file, args) {
  return { file: 'setpriv', args: ['--pdeathsig', 'TERM', '--', file, ...args] };
}
