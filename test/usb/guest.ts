import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { startProgram } from '../../helpers/child-process.ts';
import {
  createRedirection,
  type Redirection,
} from '../../simulators/usb-scanner/usb-redirection.ts';
import { processorMsOf } from '../support/processes.ts';
import { within } from '../support/within.ts';
import { SHELL_PORT, type GuestImage } from './guest-image.ts';

/**
 * Time limit for booting, which takes about 25 s on two idle cores and twenty times as long on a
 * busy machine: the CPU is emulated, since KVM is not available everywhere.
 */
const BOOT_MS = 1_200_000;
const SCRIPT_MS = 600_000;
const LIFETIME_MS = 7_200_000;

const KERNEL_ARGUMENTS = [
  'root=/dev/vda rw console=ttyS0 mitigations=off systemd.show_status=no',
  'module_blacklist=kvm_amd',
  // Loading a driver may take longer than the three minutes after which udev kills jobs by default.
  'udev.event_timeout=1800',
] as const;

const SOCKETS = 3;

export interface Ran {
  readonly code: number;
  readonly output: string;
}

export interface Guest {
  /** USB sockets of the machine, for one device each. */
  readonly sockets: readonly Redirection[];
  /** Runs as root. Throws if the script fails. */
  run(script: string): Promise<string>;
  try(script: string): Promise<Ran>;
  cpuSeconds(): number;
  stop(): Promise<void>;
}

/** Boots the disk without changing it. The guest's port 8080 appears at loopback port `port`. */
export async function bootGuest(
  { disk, kernel, initrd }: GuestImage,
  { directory, port }: { readonly directory: string; readonly port: number },
): Promise<Guest> {
  const usb = Array.from({ length: SOCKETS }, (_, index) =>
    path.join(directory, `usb${index}.sock`),
  );
  const shellSocket = path.join(directory, 'shell.sock');
  const usbConnections = usb.map(connectionTo);
  const shellConnection = connectionTo(shellSocket);
  const args = [
    ['-accel', 'tcg', '-m', '1536', '-smp', '2', '-nographic', '-no-reboot', '-monitor', 'none'],
    // Without disc drive and screen, the kernel loads no drivers for them.
    ['-nodefaults'],
    ['-serial', `file:${path.join(directory, 'console.log')}`],
    ['-kernel', kernel, '-initrd', initrd],
    ['-append', KERNEL_ARGUMENTS.join(' ')],
    ['-drive', `file=${disk},if=virtio,format=raw,snapshot=on`],
    ['-netdev', `user,id=net,hostfwd=tcp:127.0.0.1:${port}-:8080`],
    ['-device', 'virtio-net,netdev=net', '-device', 'virtio-serial'],
    ['-chardev', `socket,id=shell,path=${shellSocket}`],
    ['-device', `virtserialport,chardev=shell,name=${SHELL_PORT}`],
    ['-device', 'qemu-xhci'],
    ...usb.map((socket, index) => [
      '-chardev',
      `socket,id=usb${index},path=${socket}`,
      '-device',
      `usb-redir,chardev=usb${index},id=usb${index}`,
    ]),
  ].flat();
  const env = { PATH: process.env['PATH'] ?? '' };
  const running = startProgram(
    { file: 'qemu-system-x86_64', args, cwd: '/', env },
    { timeoutMs: LIFETIME_MS },
  );
  running.stdin.end();
  const ended = running.ended.then(({ stderr }): never => {
    throw new Error(`The emulated machine ended: ${stderr}`);
  });
  ended.catch(() => {});
  const stop = async (): Promise<void> => {
    running.kill('SIGKILL');
    await running.ended.catch(() => {});
  };
  try {
    const [shell, ...sockets] = await Promise.race([
      Promise.all([shellConnection, ...usbConnections]),
      ended,
    ]);
    const lines = createInterface({ input: shell })[Symbol.asyncIterator]();
    const nextLine = async (ms: number): Promise<string> => {
      const line = await within(ms, Promise.race([lines.next(), ended]), 'a line of the guest');
      return String(line.value);
    };
    await nextLine(BOOT_MS);
    const attempt = async (script: string): Promise<Ran> => {
      shell.write(`${Buffer.from(script).toString('base64')}\n`);
      const [code = '', output = ''] = (await nextLine(SCRIPT_MS)).split(' ');
      return { code: Number(code), output: Buffer.from(output, 'base64').toString('utf8') };
    };
    return {
      sockets: sockets.map(createRedirection),
      try: attempt,
      cpuSeconds: () => processorMsOf(running.pid ?? 0) / 1000,
      run: async (script) => {
        const { code, output } = await attempt(script);
        if (code !== 0) throw new Error(`${script} ended with ${code}:\n${output}`);
        return output;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The first connection to a Unix socket. QEMU connects at its start. */
async function connectionTo(socketPath: string): Promise<Socket> {
  await rm(socketPath, { force: true });
  const server = createServer().listen(socketPath);
  const [socket]: Socket[] = await once(server, 'connection');
  server.close();
  if (!socket) throw new Error('no connection');
  return socket;
}
