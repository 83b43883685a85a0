import { connect, type Socket } from 'node:net';
import type { Transfer, UsbDevice, UsbIdentity } from './usb-device.ts';

/** Printer, IPP over USB 1.0, section 4.2. At least two such interfaces are required. */
const IPP_OVER_USB = [7, 1, 4] as const;

/** A USB device that receives HTTP in bulk transfers. Each interface forwards it to a server. */
export interface IppOverUsb extends UsbDevice {
  close(): void;
}

/** `port` is the server's, on the loopback interface. */
export function createIppOverUsb(
  port: number,
  named: Pick<UsbIdentity, 'manufacturer' | 'name' | 'serial'>,
): IppOverUsb {
  const identity = { vendor: 0x1d6b, product: 0x0104, ...named } as const;
  const interfaces = [IPP_OVER_USB, IPP_OVER_USB] as const;
  const pipes = interfaces.map(() => createPipe(port));
  const close = (): void => {
    for (const pipe of pipes) pipe.close();
  };
  return {
    identity: { ...identity, interfaces },
    write: (data, number) => pipes[number]?.write(data),
    read: async (length, number) => pipes[number]?.read(length) ?? 'stall',
    reset: close,
    close,
  };
}

interface Pipe {
  write(data: Buffer): void;
  read(length: number): Promise<Transfer>;
  close(): void;
}

function createPipe(port: number): Pipe {
  let socket: Socket | undefined;
  let received = Buffer.alloc(0);
  let arrived = Promise.withResolvers<void>();
  /**
   * The next write reconnects if the server has closed an idle connection, unnoticed by the host.
   */
  const open = (): Socket => {
    const opened = connect(port, '127.0.0.1');
    opened.on('data', (data: Buffer) => {
      received = Buffer.concat([received, data]);
      arrived.resolve();
    });
    opened.on('error', () => {});
    opened.on('close', () => {
      if (socket === opened) socket = undefined;
    });
    return opened;
  };
  return {
    write: (data) => {
      socket ??= open();
      socket.write(data);
    },
    read: async (length) => {
      while (received.length === 0) await arrived.promise;
      const given = received.subarray(0, length);
      received = received.subarray(length);
      if (received.length === 0) arrived = Promise.withResolvers();
      return given;
    },
    close: () => {
      socket?.destroy();
      socket = undefined;
      received = Buffer.alloc(0);
      arrived = Promise.withResolvers();
    },
  };
}
