import { IPCModule, type IpcConfig } from 'node-ipc';
import type { Socket } from 'node:net';
import path from 'node:path';
import { REPLY_EVENTS, REQUEST_EVENTS, type ReplyEvent, type RequestEvent } from './messages.ts';
import { claimSocketPath } from './socket-path.ts';

/**
 * Frames over a Unix socket. node-ipc's `assured` parser closes connections that send anything but
 * a named event with a JSON payload. Payloads are not validated here.
 */
export interface ServerSide {
  readonly onRequest: (peer: Peer, event: RequestEvent, payload: unknown) => void;
  readonly onLost: (peer: Peer) => void;
}

export interface Peer {
  /** Returns false if the connection is lost or the message is too large. */
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

const RECONNECT_MS = 250;
export interface TransportLimits {
  /** Most messages have a few hundred bytes; long device descriptions have ten thousand. */
  readonly messageBytes: number;
  /** In milliseconds. On a local socket, the rest of a partial message arrives at once or never. */
  readonly halfMessageMs: number;
  /** One service connects, and sometimes a diagnostic tool. */
  readonly connections: number;
}

const TRANSPORT_LIMITS: TransportLimits = {
  messageBytes: 1024 * 1024,
  halfMessageMs: 5000,
  connections: 16,
};

/** Rejects like `claimSocketPath`. */
export async function listen(
  socketPath: string,
  side: ServerSide,
  limits = TRANSPORT_LIMITS,
): Promise<{ close: () => Promise<void> }> {
  const release = await claimSocketPath(socketPath);
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
  // Later errors concern a single connection, which is already closed.
  server.on('error', (error) => started.reject(error));
  server.start();
  await started.promise.catch(async (error: unknown) => {
    await release();
    throw error;
  });
  const closed = Promise.withResolvers<void>();
  if (server.server !== false) server.server.once('close', () => closed.resolve());
  return {
    close: async () => {
      server.stop();
      await closed.promise;
      await release();
    },
  };
}

/** Reconnects until closed. */
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
    // node-ipc does not reconnect after a protocol error, so each attempt is a new connection.
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

const RUNTIME = 'runtime';

/** node-ipc's default export is shared by the whole process, so each endpoint has its own. */
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

/** False if the message is too large, for which node-ipc throws. */
function emitted(emit: () => boolean): boolean {
  try {
    emit();
    return true;
  } catch {
    return false;
  }
}
