import { connect, createServer, type Socket } from 'node:net';
import { serve } from '../support/serve.ts';

/** The network between a browser and the service, which can be pulled out and put back. */
export interface Cable {
  readonly address: string;
  /** Ends every connection, and every one that is made from now on. */
  readonly cut: () => void;
  /** Lets nothing through without ending anything: a phone that is out of reach of the network. */
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
