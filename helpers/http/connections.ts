import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Failure } from '../failure.ts';
import type { ServerLimits } from './server-limits.ts';

interface Connection {
  /** Open responses, oldest first. */
  readonly underWay: Set<ServerResponse>;
  requests: number;
  idleSince: number;
  /** Over the connection limit, so its first request is refused. */
  readonly isSurplus: boolean;
}

export interface Connections {
  /** Returns the failure to send if the request's connection exceeds a limit. */
  admit(request: IncomingMessage, response: ServerResponse): Failure | undefined;
  /** True if part of a response has been sent, so no error can be. */
  isAnswering(socket: Duplex): boolean;
  /** Closes idle connections now, and the others after their responses. */
  closeAsAnswered(): void;
}

/**
 * At the connection limit, a new connection replaces the longest idle one; if none is idle, its
 * first request is refused. A response that the client does not read is abandoned after
 * `stalledMs`.
 */
export function watchConnections(server: Server, limits: ServerLimits): Connections {
  const open = new Map<Socket, Connection>();
  let isClosing = false;

  server.on('connection', (socket: Socket) => {
    const excess = open.size + 1 - limits.maxConnections;
    const isSurplus = excess > 0 && dropIdle(open, excess, limits.freshMs) < excess;
    const idleSince = performance.now();
    open.set(socket, { underWay: new Set(), requests: 0, idleSince, isSurplus });
    socket.once('close', () => open.delete(socket));
  });
  server.timeout = limits.stalledMs;
  // Fires after `stalledMs` without traffic, or `keepAliveTimeout` between requests.
  server.on('timeout', (socket: Socket) => {
    const isIdle = open.get(socket)?.underWay.size === 0;
    if (isIdle || socket.writableLength > 0) socket.destroy();
  });
  server.once('listening', () => {
    const timer = setInterval(
      () => dropIdle(open, open.size - limits.maxConnections, limits.freshMs),
      limits.checkIntervalMs,
    );
    server.once('close', () => clearInterval(timer));
  });

  function answered(socket: Socket, connection: Connection, response: ServerResponse): void {
    connection.underWay.delete(response);
    connection.idleSince = performance.now();
    if (isClosing && connection.underWay.size === 0) socket.destroySoon();
  }

  return {
    admit: ({ socket }, response) => {
      const connection = open.get(socket);
      if (!connection) return undefined;
      connection.requests += 1;
      connection.underWay.add(response);
      response.once('close', () => answered(socket, connection, response));
      const isLast = connection.requests >= limits.maxRequestsPerConnection;
      // Tells the client to reconnect. Must not be set while a pipelined request waits.
      if (isLast && connection.underWay.size === 1) response.setHeader('Connection', 'close');
      return refusal(connection, limits);
    },
    isAnswering: (socket) => {
      const connection = socket instanceof Socket ? open.get(socket) : undefined;
      const [oldest] = connection?.underWay ?? [];
      return oldest?.headersSent ?? false;
    },
    closeAsAnswered: () => {
      isClosing = true;
      for (const [socket, { underWay }] of open) if (underWay.size === 0) socket.destroy();
    },
  };
}

function refusal({ isSurplus, requests }: Connection, limits: ServerLimits): Failure | undefined {
  const { maxConnections, maxRequestsPerConnection } = limits;
  if (!isSurplus && requests <= maxRequestsPerConnection) return undefined;
  const message = isSurplus
    ? `There are ${maxConnections} connections already. Close some, or try again in a few seconds.`
    : `Only ${maxRequestsPerConnection} requests are answered per connection. Send the rest on a new connection.`;
  return new Failure('too_many_requests', message);
}

function dropIdle(open: ReadonlyMap<Socket, Connection>, count: number, freshMs: number): number {
  if (count <= 0) return 0;
  const before = performance.now() - freshMs;
  const idle = [...open]
    .filter(([, { underWay, idleSince }]) => underWay.size === 0 && idleSince <= before)
    .toSorted(([, a], [, b]) => a.idleSince - b.idleSince)
    .slice(0, count);
  for (const [socket] of idle) socket.destroy();
  return idle.length;
}
