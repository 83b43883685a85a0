import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Failure } from '../failure.ts';
import type { ServerLimits } from './server-limits.ts';

interface Connection {
  /** Requests that are not fully answered yet, oldest first. */
  readonly underWay: Set<ServerResponse>;
  requests: number;
  idleSince: number;
  /** Beyond the limit: its first request is refused. */
  readonly isSurplus: boolean;
}

/** The open connections of a server, held within its limits. */
export interface Connections {
  /** Notes a request. Returns the failure to answer it with where its connection is one too many, or has asked too often. */
  admit(request: IncomingMessage, response: ServerResponse): Failure | undefined;
  /** Whether part of an answer was sent already, so that nothing else may be written. */
  isAnswering(socket: Duplex): boolean;
  /** Drops every connection without a request under way, and the others as soon as they are answered. */
  closeAsAnswered(): void;
}

/**
 * Watches the connections of a server. At the limit a new one takes the place of the one that has been idle longest; where
 * none is idle, its first request is refused. An answer that is not read is given up after `stalledMs`.
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
  // Nothing passed for `stalledMs`, or nothing was asked for `keepAliveTimeout`; a handler may take longer to answer.
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
      // A caller that waits for each answer hears with the last one that it has to connect again.
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

/** Drops up to `count` connections, longest idle first, but none so new that it may have asked already. Returns how many. */
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
