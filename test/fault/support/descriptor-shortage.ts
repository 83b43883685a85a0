import { once } from 'node:events';
import { connect, type NetConnectOpts, type Socket } from 'node:net';
import { descriptorsOf } from './process-resources.ts';

/** Longest time that a connection may take to be answered, or be let go, in milliseconds. */
const CONNECT_MS = 10_000;

/** The limit that leaves a process room for so many more than it has open now; those above it stay open. */
export function limitWithRoomFor(pid: number, more: number): number {
  const taken = new Set(descriptorsOf(pid));
  let limit = 0;
  for (let free = 0; free < more; limit += 1) if (!taken.has(limit)) free += 1;
  return limit;
}

/** Connections that somebody opened and keeps. */
export interface HeldConnections {
  readonly close: () => Promise<void>;
}

/** Opens `count` connections that say nothing; resolves when they are made. */
export async function holdConnections(
  address: NetConnectOpts,
  count: number,
): Promise<HeldConnections> {
  const sockets = Array.from({ length: count }, () => connect({ ...address, timeout: CONNECT_MS }));
  for (const socket of sockets) socket.on('error', () => {});
  await Promise.all(sockets.map(settled));
  return {
    close: async () => {
      const open = sockets.filter((socket) => !socket.closed);
      const closed = open.map((socket) => once(socket, 'close'));
      for (const socket of open) socket.destroy();
      await Promise.all(closed);
    },
  };
}

/** Resolves when a connection is made, or refused. */
function settled(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', () => resolve());
  });
}
