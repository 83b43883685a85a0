import { connect } from 'node:net';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  programEnvironment,
  startProgram,
  type RunningProgram,
} from '../../../helpers/child-process.ts';

/**
 * Finds network scanners for sane-airscan: runs avahi-daemon and the D-Bus through which SANE talks
 * to it, on the host network, as the unprivileged user of the scanner's container. Exits when
 * either exits; the container engine then restarts it.
 */
const BUS = ['dbus-daemon', '--nofork', '--nopidfile', `--config-file=${here('bus.conf')}`];
const AVAHI = [
  '/usr/sbin/avahi-daemon',
  `--file=${here('avahi-daemon.conf')}`,
  // Dropping root is unnecessary, as it is not started as root.
  '--no-drop-root',
  '--no-chroot',
  '--no-rlimits',
];
const SOCKET = '/run/dbus/system_bus_socket';
/** Time limit until dbus-daemon listens, which takes milliseconds and is not reported. */
const LISTENING_MS = 10_000;
const LOOK_EVERY_MS = 50;
const NO_TIMEOUT = 0;

const bus = start(BUS);
// Without its bus, avahi-daemon exits at once.
await listening(SOCKET);
const avahi = start(AVAHI);
const stop = (): void => [avahi, bus].forEach(({ kill }) => kill('SIGTERM'));
process.exitCode = 1;
for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.once(signal, () => {
    process.exitCode = 0;
    stop();
  });
}
await Promise.race([bus.ended, avahi.ended]);
stop();
await Promise.all([bus.ended, avahi.ended]);

function start([file = '', ...args]: readonly string[]): RunningProgram {
  const program = { file, args, cwd: '/', env: programEnvironment() };
  const running = startProgram(program, { timeoutMs: NO_TIMEOUT, keepOutput: false });
  running.stdout.pipe(process.stdout);
  running.stderr.pipe(process.stderr);
  return running;
}

async function listening(socket: string): Promise<void> {
  const giveUp = Date.now() + LISTENING_MS;
  while (!(await accepts(socket))) {
    if (Date.now() > giveUp) throw new Error(`dbus-daemon does not listen at ${socket}`);
    await sleep(LOOK_EVERY_MS);
  }
}

async function accepts(socket: string): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const connection = connect(socket);
  connection.once('connect', () => resolve(true)).once('error', () => resolve(false));
  const accepted = await promise;
  connection.destroy();
  return accepted;
}

function here(name: string): string {
  return path.join(import.meta.dirname, name);
}
