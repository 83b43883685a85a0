import { createServer, type RequestListener, type Server } from 'node:http';
import { errorCode } from '../error-code.ts';
import type { Failure } from '../failure.ts';
import type { Log } from '../log.ts';
import { watchConnections, type Connections } from './connections.ts';
import { expectationFailure, parserFailure, refuse, refuseRaw } from './refusals.ts';
import { SERVER_LIMITS, type ServerLimits } from './server-limits.ts';

export interface ListenOptions {
  readonly host: string;
  /** 0 for any that is free. */
  readonly port: number;
  readonly log: Log;
  readonly limits?: Partial<ServerLimits>;
}

export interface ListeningServer {
  /** Port that it listens on, also where 0 was asked for. */
  readonly port: number;
  /**
   * Stops listening, drops the connections without a request under way and gives the others `closeMs`. Resolves when no
   * connection is left.
   */
  close(): Promise<void>;
}

/**
 * Puts a request handler on a port, within limits. What the HTTP parser or a limit refuses is answered with the error
 * envelope too. Rejects in words for the operator when the port is taken or not allowed.
 */
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
    // The browser defence answers a request without a Host header, with the envelope.
    requireHostHeader: false,
  });
  // A last bound, for callers that open connections faster than they can be answered.
  server.maxConnections = 2 * limits.maxConnections;
  const connections = watchConnections(server, limits);
  answerRequests({ server, connections, handler, limits, log });
  await startListening(server, host, port);
  const bound = server.address();
  return {
    port: typeof bound === 'object' && bound ? bound.port : port,
    close: () => close(server, connections, limits.closeMs),
  };
}

interface Answering {
  readonly server: Server;
  readonly connections: Connections;
  readonly handler: RequestListener;
  readonly limits: ServerLimits;
  readonly log: Log;
}

function answerRequests({ server, connections, handler, limits, log }: Answering): void {
  const logRefusal = ({ code, status, cause }: Failure): void =>
    log.debug({ event: 'request_refused', error: code, status, err: cause }, 'request refused');

  server.on('request', (request, response) => {
    const failure = connections.admit(request, response);
    if (!failure) return handler(request, response);
    logRefusal(failure);
    return refuse(response, failure);
  });
  server.on('checkExpectation', (request, response) => {
    const failure = connections.admit(request, response) ?? expectationFailure();
    logRefusal(failure);
    refuse(response, failure);
  });
  server.on('clientError', (error, socket) => {
    const isGone = errorCode(error) === 'ECONNRESET' || !socket.writable;
    if (isGone || connections.isAnswering(socket)) {
      socket.destroy();
      return;
    }
    const failure = parserFailure(error, limits);
    logRefusal(failure);
    refuseRaw(socket, failure);
  });
}

async function startListening(server: Server, host: string, port: number): Promise<void> {
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
  } catch (cause) {
    const code = errorCode(cause) ?? 'unknown error';
    const what = code === 'EADDRINUSE' ? 'is in use' : `cannot be listened on (${code})`;
    throw new Error(`Port ${port} of ${host} ${what}. Set PORT and HOST, or stop what uses it.`, {
      cause,
    });
  }
}

async function close(server: Server, connections: Connections, closeMs: number): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()));
  connections.closeAsAnswered();
  const timer = setTimeout(() => server.closeAllConnections(), closeMs);
  await closed;
  clearTimeout(timer);
}
