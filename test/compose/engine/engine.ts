import { open, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram, type RunningProgram } from '../../../helpers/child-process.ts';
import { within } from '../../support/within.ts';
import { engineAnswers } from './docker.ts';
import { installPackages } from './debian.ts';
import { ProgramError, tryProgram, whereIs } from './programs.ts';

/** Measured: 2 to 3 s. */
const START_MS = 60_000;
/** It stops its containers first, each with a time of its own. */
const STOP_MS = 60_000;
const LOOK_EVERY_MS = 200;
/** Longer than any run of the tests. */
const LIFETIME_MS = 6 * 3_600_000;

const LEFT_BEHIND = [
  ['umount', '/run/docker/netns/default'],
  ['ip', 'link', 'delete', 'docker0'],
] as const;

export interface Engine {
  /** `docker` to call. */
  readonly docker: string;
  /** What was found or done, for people. */
  readonly description: string;
  /** Stops the engine if it was started here; one that was there is left alone. */
  stop(): Promise<void>;
}

interface EngineOptions {
  /** For the engine's log. */
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/**
 * The engine of this machine: the one that answers, or else one that is started here, installed before where need be.
 * Throws a `ProgramError` that says what is to be done where that takes root.
 */
export async function findEngine({ directory, signal, say }: EngineOptions): Promise<Engine> {
  const found = await whereIs('docker');
  if (found !== undefined && (await engineAnswers(found))) {
    return { docker: found, description: 'the engine that was running', stop: async () => {} };
  }
  if (process.getuid?.() !== 0) {
    throw new ProgramError(
      'No Docker engine answers, and only root can start one: sudo systemctl start docker, and add yourself to the group "docker".',
    );
  }
  if ((await whereIs('dockerd')) === undefined) {
    say('Installing Docker …');
    // Debian 13 has the command line in a package of its own; Debian 12 in that of the engine.
    const client = found === undefined && (await isDebian13()) ? ['docker-cli'] : [];
    await installPackages(['docker.io', 'iptables', ...client], signal);
  }
  const docker = await whereIs('docker');
  const daemon = await whereIs('dockerd');
  if (docker === undefined || daemon === undefined)
    throw new ProgramError('Docker is not there after its installation.');
  // Where there is a service manager, the installation has started it.
  if (await engineAnswers(docker)) {
    return { docker, description: 'the engine that was installed', stop: async () => {} };
  }
  say('Starting dockerd …');
  return startEngine({ docker, daemon }, path.join(directory, 'dockerd.log'));
}

async function isDebian13(): Promise<boolean> {
  return /VERSION_CODENAME=trixie/u.test(await readFile('/etc/os-release', 'utf8').catch(() => ''));
}

async function startEngine(
  { docker, daemon }: { docker: string; daemon: string },
  logFile: string,
): Promise<Engine> {
  const log = await open(logFile, 'w');
  const running = startProgram(
    { file: daemon, args: [], cwd: '/', env: { PATH: process.env['PATH'] ?? '', HOME: '/root' } },
    { timeoutMs: LIFETIME_MS, keepOutput: false },
  );
  running.stdin.end();
  for (const stream of [running.stdout, running.stderr]) {
    stream.on('data', (text: Buffer) => void log.write(text));
  }
  const stop = async (): Promise<void> => {
    process.kill(running.pid ?? 0, 'SIGTERM');
    await within(STOP_MS, running.ended, 'the end of dockerd');
    await log.close();
    // What dockerd leaves in the kernel; the next one would make it again.
    for (const sweep of LEFT_BEHIND) await tryProgram(sweep);
  };
  try {
    await answering(docker, running);
  } catch (error) {
    await stop().catch(() => running.kill('SIGKILL'));
    throw new ProgramError(`dockerd did not start, see ${logFile}: ${String(error)}`);
  }
  return { docker, description: 'an engine that was started for this run', stop };
}

async function answering(docker: string, running: RunningProgram): Promise<void> {
  const died = running.ended.then(() => true);
  const giveUp = Date.now() + START_MS;
  while (Date.now() < giveUp) {
    if (await engineAnswers(docker)) return;
    if (await Promise.race([died, sleep(LOOK_EVERY_MS, false)])) throw new Error('it ended');
  }
  throw new Error(`it did not answer within ${START_MS / 1000} s`);
}
