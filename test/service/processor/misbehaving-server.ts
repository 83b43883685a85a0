import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';

export interface MisbehavingServer {
  readonly url: URL;
  readonly close: () => Promise<void>;
}

/** A server on a free port of loopback that answers as the test wants it. */
export async function misbehavingServer(
  listener: RequestListener,
  host = '127.0.0.1',
): Promise<MisbehavingServer> {
  const server = createServer(listener).listen(0, host);
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : 0;
  return {
    url: new URL(`http://${host}:${port}/`),
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
