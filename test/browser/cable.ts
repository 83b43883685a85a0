import { connect, createServer, type Socket } from 'node:net';
import { serve } from '../support/serve.ts';

/** The network between a browser and the service, which can be cut and restored. */
export interface Cable {
  readonly address: string;
  /** Ends all connections, including new ones. */
  readonly cut: () => void;
  /** Blocks traffic without ending connections, like a phone out of network range. */
  readonly stall: () => void;
  readonly mend: () => void;
  readonly close: () => Promise<void>;
}

export async function createCable(port: number): Promise<Cable> {
  const sockets = new Set<Socket>();
  let isCut = false;
  let isStalled = false;
  const server = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    client.pipe(upstream).pipe(client);
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket);
      if (isStalled) socket.pause();
      socket.on('error', () => {});
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  const { url, close } = await serve(server);
  const cut = (): void => {
    isCut = true;
    for (const socket of sockets) socket.destroy();
  };
  return {
    address: `${url}/`,
    cut,
    stall: () => {
      isStalled = true;
      for (const socket of sockets) socket.pause();
    },
    mend: () => {
      isCut = false;
      isStalled = false;
      for (const socket of sockets) socket.resume();
    },
    close,
  };
}
