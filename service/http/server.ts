import { createServer, type RequestListener, type Server } from 'node:http';

/** A caller on the LAN sends its few headers at once; slower is an attack or a broken client. */
const HEADERS_TIMEOUT_MS = 5000;
/** For the whole request, body included; bodies are at most 64 KB. The answer may take as long as the scan. */
const REQUEST_TIMEOUT_MS = 10_000;
/** How often Node looks for requests that are over these times. */
const CHECK_INTERVAL_MS = 1000;
const MAX_HEADER_BYTES = 8192;
/** A household has a few callers and some probes; the bound keeps a flood from taking all file descriptors. */
const MAX_CONNECTIONS = 100;
/** A caller that pipelines requests and reads no answer makes us keep them all: 185 MB were seen for 20,000. */
const MAX_REQUESTS_PER_CONNECTION = 100;

export interface ListeningServer {
  /** Port that it listens on, also where 0 was asked for. */
  readonly port: number;
  /** Stops listening; resolves when the requests under way are answered. */
  close(): Promise<void>;
}

/** Puts a request handler on a port; rejects when the port is taken or not allowed. */
export async function listen(
  handler: RequestListener,
  address: { host: string; port: number },
): Promise<ListeningServer> {
  const server = createServer(
    {
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: CHECK_INTERVAL_MS,
      maxHeaderSize: MAX_HEADER_BYTES,
    },
    handler,
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.maxRequestsPerSocket = MAX_REQUESTS_PER_CONNECTION;
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(address.port, address.host, resolve);
  });
  const bound = server.address();
  const port = typeof bound === 'object' && bound ? bound.port : address.port;
  return { port, close: () => close(server) };
}

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeIdleConnections();
  });
}
