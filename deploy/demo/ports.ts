import { once } from 'node:events';
import { createServer } from 'node:net';
import { DemoError } from './demo-error.ts';

export const LOOPBACK = '127.0.0.1';

/** The service's usual port, and how many after it are tried. */
export const USUAL_PORT = 8080;
const PORTS_TRIED = 20;

/** A port for the service: the one asked for, or the usual one, or the next that is free. */
export async function servicePort(wanted: number | undefined): Promise<number> {
  if (wanted !== undefined) {
    const port = await free(wanted);
    if (port !== undefined) return port;
    throw new DemoError(`Port ${wanted} is taken; choose another one with --port, or none.`);
  }
  for (let candidate = USUAL_PORT; candidate < USUAL_PORT + PORTS_TRIED; candidate += 1) {
    const port = await free(candidate);
    if (port !== undefined) return port;
  }
  return anyPort();
}

/** A port that is free now. */
export async function anyPort(): Promise<number> {
  const port = await free(0);
  if (port === undefined) throw new DemoError(`No port is free on ${LOOPBACK}.`);
  return port;
}

/** The port, a number for 0 included, or undefined where it is taken. */
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
