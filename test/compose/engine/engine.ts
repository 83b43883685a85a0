import { existsSync } from 'node:fs';
import { mkdtemp, open, readFile, rm, type FileHandle } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startProgram, type RunningProgram } from '../../../helpers/child-process.ts';
import { within } from '../../support/within.ts';
import { installPackages } from '../../debian/packages.ts';
import { engineAnswers } from './docker.ts';
import { rememberFirewall } from './firewall.ts';
import { ProgramError, tryProgram, whereIs } from '../../debian/programs.ts';

/** Time limit for the engine to start, which took 2 to 3 s when measured. */
const START_MS = 60_000;
/** Time limit for the engine to stop. It first gives each container its grace period. */
const STOP_MS = 60_000;
const LOOK_EVERY_MS = 200;
const LIFETIME_MS = 6 * 3_600_000;
const LOG_LINES = 8;
/** Created by every engine, wherever its own directories are. */
const SHARED_DIRECTORIES = ['/run/docker', '/run/containerd'];

const SERVICES = ['docker.service', 'docker.socket', 'containerd.service'];

export interface Engine {
  readonly docker: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly description: string;
  /** Stops and removes the engine if it was started here. */
  stop(): Promise<void>;
}

interface EngineOptions {
  readonly directory: string;
  readonly signal: AbortSignal;
  readonly say: (text: string) => void;
}

/**
 * The machine's running engine, or one started here, installed if necessary. Throws a
 * `ProgramError` with the remedy if that needs root, or with the cause.
 */
export async function findEngine({ directory, signal, say }: EngineOptions): Promise<Engine> {
  const found = await whereIs('docker');
  if (found !== undefined && (await engineAnswers(found))) {
    return theirs(found, 'the engine that was running');
  }
  if (process.getuid?.() !== 0) {
    throw new ProgramError(
      'No Docker engine answers, and only root can start one: sudo systemctl start docker, and add yourself to the group "docker".',
    );
  }
  if ((await whereIs('dockerd')) === undefined) {
    say('Installing Docker, without its services …');
    // Debian 13 packages the command line separately; Debian 12 includes it with the engine.
    const client = found === undefined && (await isDebian13()) ? ['docker-cli'] : [];
    await installPackages(['docker.io', 'iptables', ...client], signal);
    // Keeps the services from starting at boot. Without a service manager there is nothing to
    // disable.
    await tryProgram(['systemctl', 'disable', ...SERVICES]);
  }
  const docker = await whereIs('docker');
  const daemon = await whereIs('dockerd');
  if (docker === undefined || daemon === undefined)
    throw new ProgramError('Docker is not there after its installation.');
  say('Starting dockerd …');
  return startEngine({ docker, daemon }, path.join(directory, 'dockerd.log'));
}

function theirs(docker: string, description: string): Engine {
  return { docker, environment: {}, description, stop: async () => {} };
}

async function isDebian13(): Promise<boolean> {
  return /VERSION_CODENAME=trixie/u.test(await readFile('/etc/os-release', 'utf8').catch(() => ''));
}

/**
 * Gives the engine its own directories and socket, so that nothing remains and the machine's own
 * containers stay.
 */
async function startEngine(
  { docker, daemon }: { docker: string; daemon: string },
  logFile: string,
): Promise<Engine> {
  const data = await mkdtemp('/var/lib/scan-service-engine-');
  const run = await mkdtemp('/run/scan-service-engine-');
  const environment = { DOCKER_HOST: `unix://${path.join(run, 'docker.sock')}` };
  const places = {
    '--data-root': data,
    '--exec-root': path.join(run, 'exec'),
    '--pidfile': path.join(run, 'docker.pid'),
    '--host': environment.DOCKER_HOST,
  };
  const firewall = await rememberFirewall();
  const made = SHARED_DIRECTORIES.filter((directory) => !existsSync(directory));
  const log = await open(logFile, 'w');
  const running = startDaemon(daemon, Object.entries(places).flat(), log);
  const stop = async (): Promise<void> => {
    terminate(running.pid);
    await within(STOP_MS, running.ended, 'the end of dockerd');
    await log.close();
    // dockerd leaves these mounted; the second only on Debian 13.
    for (const mounted of [path.join(run, 'exec', 'netns', 'default'), data])
      await tryProgram(['umount', mounted]);
    await tryProgram(['ip', 'link', 'delete', 'docker0']);
    await firewall.restore();
    for (const directory of [data, run, ...made])
      await rm(directory, { recursive: true, force: true });
  };
  try {
    await answering(docker, environment, running);
  } catch (error) {
    const why = await lastLines(logFile);
    await stop().catch(() => running.kill('SIGKILL'));
    throw new ProgramError(
      `No Docker engine answers, and dockerd cannot be started here (${String(error)}). Its last words, in ${logFile}:\n${why}`,
    );
  }
  return { docker, environment, description: 'an engine that was started for this run', stop };
}

function startDaemon(file: string, args: readonly string[], log: FileHandle): RunningProgram {
  const running = startProgram(
    { file, args, cwd: '/', env: { PATH: process.env['PATH'] ?? '', HOME: '/root' } },
    { timeoutMs: LIFETIME_MS, keepOutput: false },
  );
  running.stdin.end();
  for (const stream of [running.stdout, running.stderr]) {
    stream.on('data', (text: Buffer) => void log.write(text));
  }
  return running;
}

/** Signals only the daemon, which ends its programs in order. No-op if it has ended. */
function terminate(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(pid, 'SIGTERM');
  } catch {
    // The daemon has ended.
  }
}

async function answering(
  docker: string,
  environment: Readonly<Record<string, string>>,
  running: RunningProgram,
): Promise<void> {
  const died = running.ended.then(() => true);
  const giveUp = Date.now() + START_MS;
  while (Date.now() < giveUp) {
    if (await engineAnswers(docker, environment)) return;
    if (await Promise.race([died, sleep(LOOK_EVERY_MS, false)])) throw new Error('it ended');
  }
  throw new Error(`it did not answer within ${START_MS / 1000} s`);
}

async function lastLines(file: string): Promise<string> {
  const lines = (await readFile(file, 'utf8')).trim().split('\n');
  return lines.slice(-LOG_LINES).join('\n');
}
