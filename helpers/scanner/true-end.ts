import { constants } from 'node:os';
import type { Ended } from '../child-process.ts';
import type { Failure, FailureFacts } from '../failure.ts';
import { lostConnection, sanedHost } from './saned-link.ts';
import { announcedExitCode, failureOfExit } from './scanimage-failure.ts';

/** Printed before scanimage closes the device. */
const BATCH_OVER = /^Batch terminated/mu;
const SIGNALLED = /^scanimage: received signal (?<number>\d+)/mu;

/**
 * Corrects a meaningless exit code: if scanimage hung, crashed, or exited with 0 after a second
 * signal, its last message decides. Through saned, nearly every failed scan exits with 0, since
 * both signals are SIGPIPE (sane-utils 1.2.1 and 1.3.1).
 */
export function trueEnd(ended: Ended, hungAtEnd: boolean): Ended {
  const { exitCode, stderr } = ended;
  const announced = announcedExitCode(stderr);
  const saysNothing = exitCode === 0 || exitCode === undefined;
  if (hungAtEnd || (saysNothing && announced !== 0)) {
    return { ...ended, exitCode: announced, signal: undefined, timedOut: false };
  }
  const signal = SIGNALLED.exec(stderr)?.groups?.['number'];
  if (exitCode !== 0 || signal === undefined || BATCH_OVER.test(stderr)) return ended;
  return { ...ended, exitCode: undefined, signal: nameOf(Number(signal)) };
}

function nameOf(signal: number): string {
  const found = Object.entries(constants.signals).find(([, number]) => number === signal);
  return found?.[0] ?? `signal ${signal}`;
}

/** A broken pipe means that saned has ended. */
export function failureOf(ended: Ended, device: string, facts: FailureFacts): Failure {
  const host = sanedHost(device);
  if (host !== undefined && ended.signal === 'SIGPIPE') return lostConnection(host, facts);
  return failureOfExit(ended, facts);
}
