import { once } from 'node:events';
import { createServer } from 'node:net';
import { DemoError } from './demo-error.ts';

export const LOOPBACK = '127.0.0.1';

/** Default ports, and how many ports to try from there. */
export const USUAL_PORT = 8080;
const SCANNER_PORT = 8089;
const PORTS_TRIED = 5;

/** The requested port, or else the usual one or the next free one. */
export async function servicePort(wanted: number | undefined): Promise<number> {
  if (wanted !== undefined) {
    const port = await free(wanted);
    if (port !== undefined) return port;
    throw new DemoError(
      `Port ${wanted} is in use. Choose another one with --port, or omit the option.`,
    );
  }
  return portFrom(USUAL_PORT);
}

/** The usual port or the next free one. If 0 was requested for the service, 0: any free port. */
export async function scannerPort(servicePortWanted: number | undefined): Promise<number> {
  return servicePortWanted === 0 ? 0 : portFrom(SCANNER_PORT);
}

async function portFrom(first: number): Promise<number> {
  for (let candidate = first; candidate < first + PORTS_TRIED; candidate += 1) {
    const port = await free(candidate);
    if (port !== undefined) return port;
  }
  return anyPort();
}

export async function anyPort(): Promise<number> {
  const port = await free(0);
  if (port === undefined) throw new DemoError(`No port is free on ${LOOPBACK}.`);
  return port;
}

/** The port, or a free one for 0. Undefined if it is in use. */
async function free(port: number): Promise<number | undefined> {
  const server = createServer();
  try {
    server.listen(port, LOOPBACK);
    await once(server, 'listening');
    const address = server.address();
    return typeof address === 'object' && address !== null ? address.port : undefined;
  } catch {
    return undefined;
  } finally {
    server.close();
  }
}
