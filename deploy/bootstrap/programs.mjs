import { spawn } from 'node:child_process';
import { constants } from 'node:os';

/**
 * @typedef {{ cwd?: string, env?: NodeJS.ProcessEnv }} Surroundings
 * @typedef {{ code: number, output: string }} Ended `code`: exit code, or 128 + the signal that ended the program
 * @typedef {{ file: string, args: readonly string[], undisturbed?: boolean }} Command
 */

const SIGNALS = /** @type {const} */ (['SIGINT', 'SIGTERM', 'SIGHUP']);

/** A Ctrl-C arrives twice, from the terminal and from npm, which forwards it. Within this time it counts as one. */
const SAME_SIGNAL_MS = 500;

/** How much output of a silent program is kept, to be shown if it fails: the end gives the cause. */
const KEPT_CHARACTERS = 20_000;

/**
 * Starts the programs of one set-up. Signals to this process are forwarded to the running program. Every program is in a
 * session of its own, so that it receives a Ctrl-C only once, from here.
 */
export class Programs {
  /** @type {NodeJS.Signals | undefined} the signal that stopped the set-up, if any */
  stoppedBy;
  /** @type {Promise<void>} resolves at the first signal */
  stopped;
  #onStopped = () => {};
  /** @type {(signal: NodeJS.Signals) => void} */
  #passOn = () => {};
  /** @type {Map<NodeJS.Signals, number>} when each signal last arrived */
  #cameAt = new Map();

  constructor() {
    this.stopped = new Promise((resolve) => {
      this.#onStopped = resolve;
    });
    for (const signal of SIGNALS) process.on(signal, () => this.stop(signal));
  }

  /**
   * Runs a program on this terminal. Resolves with its exit code, or 128 + the signal that ended it.
   *
   * @param {string} file
   * @param {readonly string[]} args
   */
  async foreground(file, args) {
    const ended = await this.#run(dieWithUs(file, args), { stdio: 'inherit' });
    return ended.code;
  }

  /**
   * Runs a program without showing its output. Resolves with its exit code and the end of its output.
   *
   * @param {string} file
   * @param {readonly string[]} args
   * @param {Surroundings} [options]
   */
  async quietly(file, args, options = {}) {
    return this.#run(dieWithUs(file, args), { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /**
   * Like `quietly`, for a program that must not be interrupted: signals take effect when it has ended.
   *
   * @param {string} file
   * @param {readonly string[]} args
   * @param {Surroundings} [options]
   */
  async undisturbed(file, args, options = {}) {
    const command = { file, args, undisturbed: true };
    return this.#run(command, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  }

  /** The exit code after a signal, as in shells; undefined without one. */
  get stoppedCode() {
    return this.stoppedBy === undefined ? undefined : 128 + constants.signals[this.stoppedBy];
  }

  /**
   * Stops the running program, and with it the set-up.
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
 * Makes the kernel end the program if this process is killed with SIGKILL.
 *
 * @param {string} file
 * @param {readonly string[]} args
 * @returns {Command}
 */
function dieWithUs(file, args) {
  return { file: 'setpriv', args: ['--pdeathsig', 'TERM', '--', file, ...args] };
}
