import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { Server, Socket } from 'node:net';

export interface Served {
  readonly port: number;
  readonly url: string;
  /** Also ends open connections. */
  readonly close: () => Promise<void>;
}

/** Serves a listener, or runs the given server, on a free loopback port. */
export async function serve(what: RequestListener | Server, host = '127.0.0.1'): Promise<Served> {
  const server = typeof what === 'function' ? createServer(what) : what;
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => void sockets.add(socket));
  await once(server.listen(0, host), 'listening');
  const { port }: { port: number } = Object(server.address());
  return {
    port,
    url: `http://${host}:${port}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}
