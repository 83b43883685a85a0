import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { errorCode } from '../error-code.ts';
import type { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { watchConnections } from './connections.ts';
import { expectationFailure, parserFailure, refuse, refuseRaw } from './refusals.ts';
import { SERVER_LIMITS, type ServerLimits } from './server-limits.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 selects any free port. */
  readonly port: number;
  readonly log: Log;
  readonly limits?: Partial<ServerLimits>;
}

export interface ListeningServer {
  /** The actual port, even if 0 was requested. */
  readonly port: number;
  /** Closes idle connections now, and all others within `closeMs`. */
  close(): Promise<void>;
}

/** Rejects with a message for the operator if the port is taken or forbidden. */
export async function listen(
  handler: RequestListener,
  { host, port, log, limits: given = {} }: ListenOptions,
): Promise<ListeningServer> {
  const limits = { ...SERVER_LIMITS, ...given };
  const server = createServer({
    headersTimeout: limits.headersMs,
    requestTimeout: limits.requestMs,
    keepAliveTimeout: limits.keepAliveMs,
    connectionsCheckingInterval: limits.checkIntervalMs,
    maxHeaderSize: limits.maxHeaderBytes,
    // The browser defence refuses a missing Host header, with the usual error body.
    requireHostHeader: false,
  });
  // A hard limit, in case callers connect faster than requests can be refused.
  server.maxConnections = 2 * limits.maxConnections;
  const connections = watchConnections(server, limits);

  function logged(failure: Failure): Failure {
    const { code, status, cause } = failure;
    log.debug({ event: 'request_refused', error: code, status, err: cause }, 'request refused');
    return failure;
  }
  server.on('request', (request, response) => {
    const failure = connections.admit(request, response);
    if (failure) refuse(response, logged(failure));
    else handler(request, response);
  });
  server.on('checkExpectation', (request, response) =>
    refuse(response, logged(connections.admit(request, response) ?? expectationFailure())),
  );
  server.on('clientError', (error, socket) => {
    const isGone = errorCode(error) === 'ECONNRESET' || !socket.writable;
    if (isGone || connections.isAnswering(socket)) socket.destroy();
    else refuseRaw(socket, logged(parserFailure(error, limits)));
  });

  try {
    await once(server.listen(port, host), 'listening');
  } catch (cause) {
    const code = errorCode(cause) ?? 'unknown error';
    const what = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code})`;
    const message = `Port ${port} of ${host} ${what}. Set PORT and HOST, or stop what uses it.`;
    throw new Error(message, { cause });
  }

  // For example, a failed accept. Without a listener, the error would end the process.
  server.on('error', (err) => log.error({ event: 'server_error', err }, 'the HTTP server failed'));
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound ? bound.port : port,
    close: async () => {
      const closed = once(server.close(), 'close');
      connections.closeAsAnswered();
      const timer = setTimeout(() => server.closeAllConnections(), limits.closeMs);
      await closed;
      clearTimeout(timer);
    },
  };
}
