import { IPCModule, type IpcConfig } from 'node-ipc';
import type { Socket } from 'node:net';
import path from 'node:path';
import { REPLY_EVENTS, REQUEST_EVENTS, type ReplyEvent, type RequestEvent } from './messages.ts';
import { claimSocketPath } from './socket-path.ts';

/**
 * Frames over a Unix socket, by node-ipc; nothing else of the project speaks it. Its `assured` parser closes a
 * connection that sends anything but a named event with a JSON payload; payloads are unchecked here.
 */
export interface ServerSide {
  readonly onRequest: (peer: Peer, event: RequestEvent, payload: unknown) => void;
  /** The connection is gone; nothing comes from it any more. */
  readonly onLost: (peer: Peer) => void;
}

/** One connection as the server sees it. */
export interface Peer {
  /** Whether the message was handed over; a lost connection or a message that is too large is `false`. */
  readonly send: (event: ReplyEvent, payload: object) => boolean;
}

export interface ClientSide {
  readonly onConnect: () => void;
  readonly onLost: () => void;
  readonly onReply: (event: ReplyEvent, payload: unknown) => void;
}

export interface Connection {
  readonly send: (event: RequestEvent, payload: object) => boolean;
  readonly close: () => void;
}

/** From losing the runtime to trying again: a local socket costs nothing to try. */
const RECONNECT_MS = 250;
export interface TransportLimits {
  /** Pages go by file, so a message is some hundred bytes; a description with long lists is some ten thousand. */
  readonly messageBytes: number;
  /** Half a message on a local socket is completed at once or never, in milliseconds. */
  readonly halfMessageMs: number;
  /** One service is connected, and a diagnostic tool now and then. */
  readonly connections: number;
}

const TRANSPORT_LIMITS: TransportLimits = {
  messageBytes: 1024 * 1024,
  halfMessageMs: 5000,
  connections: 16,
};

/**
 * Listens at `socketPath`, whose directory must belong to this user alone. Rejects when a live runtime has the socket,
 * or the directory is not fit; see `claimSocketPath`.
 */
export async function listen(
  socketPath: string,
  side: ServerSide,
  limits = TRANSPORT_LIMITS,
): Promise<{ close: () => Promise<void> }> {
  await claimSocketPath(socketPath);
  const ipc = createModule(socketPath, limits);
  ipc.serve(socketPath);
  const { server } = ipc;
  if (server === false) throw new Error('node-ipc made no server');
  const peers = new Map<Socket, Peer>();
  const peerOf = (socket: Socket): Peer => {
    const peer = peers.get(socket) ?? {
      send: (event, payload) =>
        !socket.destroyed && emitted(() => server.emit(socket, event, payload)),
    };
    peers.set(socket, peer);
    return peer;
  };
  for (const event of REQUEST_EVENTS) {
    server.on(event, (payload, socket) => side.onRequest(peerOf(socket), event, payload));
  }
  server.on('close', (socket) => {
    const peer = peers.get(socket);
    peers.delete(socket);
    if (peer) side.onLost(peer);
  });
  const started = Promise.withResolvers<void>();
  server.on('start', () => started.resolve());
  // After the start, an error is that of one connection, which is closed by then.
  server.on('error', (error) => started.reject(error));
  server.start();
  await started.promise;
  const closed = Promise.withResolvers<void>();
  if (server.server !== false) server.server.once('close', () => closed.resolve());
  return {
    close: async () => {
      server.stop();
      await closed.promise;
    },
  };
}

/** Connects to `socketPath`, and again whenever the connection is lost or cannot be made, until closed. */
export function connect(socketPath: string, side: ClientSide): Connection {
  let connected = false;
  let retry: NodeJS.Timeout | undefined;
  const ipc = createModule(socketPath, TRANSPORT_LIMITS);
  const lost = (): void => {
    if (!connected) return;
    connected = false;
    side.onLost();
  };
  const open = (): void => {
    // A connection that ended for a protocol error is never tried again by node-ipc: every attempt is a new one.
    ipc.disconnect(RUNTIME);
    ipc.connectTo(RUNTIME, socketPath);
    const client = ipc.of[RUNTIME];
    client?.on('connect', () => {
      connected = true;
      side.onConnect();
    });
    client?.on('destroy', () => {
      lost();
      retry = setTimeout(open, RECONNECT_MS);
    });
    for (const event of REPLY_EVENTS) {
      client?.on(event, (payload) => side.onReply(event, payload));
    }
  };
  open();
  return {
    send: (event, payload) =>
      connected && emitted(() => ipc.of[RUNTIME]?.emit(event, payload) ?? false),
    close: () => {
      clearTimeout(retry);
      ipc.disconnect(RUNTIME);
      lost();
    },
  };
}

/** Name of the one connection within a module of node-ipc. */
const RUNTIME = 'runtime';

/** A module of its own for every endpoint: node-ipc's default export is shared by the whole process. */
function createModule(socketPath: string, limits: TransportLimits): IPCModule {
  const ipc = new IPCModule();
  const config: IpcConfig = {
    socketRoot: `${path.dirname(socketPath)}/`,
    parser: 'assured',
    allowedEvents: [...REQUEST_EVENTS, ...REPLY_EVENTS],
    silent: true,
    unlink: false,
    stopRetrying: true,
    maxConnections: limits.connections,
    maxMessageSize: limits.messageBytes,
    messageTimeout: limits.halfMessageMs,
  };
  Object.assign(ipc.config, config);
  return ipc;
}

/** node-ipc throws for a message that is too large, and returns whether the socket's buffer is full for all others. */
function emitted(emit: () => boolean): boolean {
  try {
    emit();
    return true;
  } catch {
    return false;
  }
}
