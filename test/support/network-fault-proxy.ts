import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { serve } from './serve.ts';

/** Where bytes go: `server` is the way of a request, `client` that of its answer. */
type Direction = 'server' | 'client';

/**
 * What happens to a connection.
 *
 *   down        it is closed as soon as it is made, as by a port that is published for a program that is not running
 *   latency     each piece arrives `ms` later
 *   slicer      pieces of `bytes`
 *   hang        nothing gets through any more once `bytes` have gone `to` there; for none of an answer, once it begins
 *   limit       it is closed then, `ms` later where given: with `to: 'client'`, an answer that ends half-way
 *   reset       it is reset then
 *
 * What only slows it down begins `after` so many bytes, where given. What ends it first gives the client the `answer`.
 */
export type Toxic = { readonly kind: 'down' } | Slowness | CutOff;

/** A moment of a connection: when so many bytes have gone that way. */
export interface Place {
  readonly to: Direction;
  readonly bytes: number;
}

type Slowness = { readonly after?: Place } & (
  | { readonly kind: 'latency'; readonly ms: number }
  | { readonly kind: 'slicer'; readonly bytes: number }
);

interface CutOff extends Place {
  readonly kind: 'hang' | 'limit' | 'reset';
  readonly ms?: number;
  readonly answer?: string;
}

export interface NetworkFaultProxy {
  readonly port: number;
  /** One for each connection from now on, the last for all later ones too; undefined leaves them untouched. */
  readonly setToxic: (...toxics: readonly [Toxic | undefined, ...(Toxic | undefined)[]]) => void;
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** Starts a TCP proxy on loopback, at any free port, that hurts the connections to `target` as it is told. */
export async function createNetworkFaultProxy(target: {
  readonly port: number;
}): Promise<NetworkFaultProxy> {
  let toxics: readonly (Toxic | undefined)[] = [undefined];
  let accepted = 0;
  const server = createServer({ allowHalfOpen: true }, (client) => {
    accepted += 1;
    const [toxic, ...rest] = toxics;
    if (rest.length > 0) toxics = rest;
    if (toxic?.kind === 'down') {
      client.destroy();
      return;
    }
    const upstream = connect({ host: '127.0.0.1', port: target.port, allowHalfOpen: true });
    const passed = { server: 0, client: 0 };
    // A broken connection is what this proxy is for, and no error of its own.
    for (const socket of [client, upstream]) socket.on('error', () => {});
    for (const way of [
      { from: client, into: upstream, to: 'server', passed },
      { from: upstream, into: client, to: 'client', passed },
    ] as const) {
      pipeline(way.from, (source) => poison(source, toxic, way), way.into).catch(() => {});
    }
  });
  const { port, close } = await serve(server);
  return {
    port,
    setToxic: (...next) => {
      toxics = next;
    },
    connections: () => accepted,
    close,
  };
}

interface Way {
  readonly from: Socket;
  readonly into: Socket;
  readonly to: Direction;
  /** Bytes that went each way. */
  readonly passed: Record<Direction, number>;
}

/** What gets through of what comes from one side. */
function poison(
  source: AsyncIterable<Buffer>,
  toxic: Toxic | undefined,
  way: Way,
): AsyncIterable<Buffer> {
  if (toxic === undefined || toxic.kind === 'down') return source;
  if ('to' in toxic) return toxic.to === way.to ? cutOff(source, toxic, way) : source;
  return slow(source, toxic, way);
}

async function* slow(
  source: AsyncIterable<Buffer>,
  toxic: Slowness,
  { to, passed }: Way,
): AsyncGenerator<Buffer> {
  const { after = { to, bytes: 0 } } = toxic;
  for await (const chunk of source) {
    const early = chunk.subarray(0, untouchedBytes(chunk, after, { to, passed }));
    const late = chunk.subarray(early.length);
    passed[to] += chunk.length;
    if (early.length > 0) yield early;
    if (late.length > 0 && toxic.kind === 'latency') await wait(toxic.ms);
    if (toxic.kind === 'slicer') yield* slice(late, toxic.bytes);
    else if (late.length > 0) yield late;
  }
}

/** How much of a chunk goes by before the moment at which the slowness begins. */
function untouchedBytes(
  chunk: Buffer,
  after: Place,
  { to, passed }: Pick<Way, 'to' | 'passed'>,
): number {
  const left = Math.max(0, after.bytes - passed[after.to]);
  if (after.to === to) return left;
  return left > 0 ? chunk.length : 0;
}

async function* cutOff(
  source: AsyncIterable<Buffer>,
  toxic: CutOff,
  way: Way,
): AsyncGenerator<Buffer> {
  let left = toxic.bytes;
  if (left === 0 && toxic.to === 'server') await end(toxic, way);
  for await (const chunk of source) {
    if (left > 0) yield chunk.subarray(0, left);
    left -= chunk.length;
    if (left <= 0) await end(toxic, way);
  }
}

/** Ends a connection in the given way, once what was let through has left this process; never comes back. */
async function end({ kind, ms, answer }: CutOff, { from, into, to }: Way): Promise<never> {
  while (into.writableLength > 0 && !into.destroyed) await new Promise(setImmediate);
  if (ms !== undefined) await wait(ms);
  if (answer !== undefined) (to === 'client' ? into : from).write(answer);
  for (const socket of [into, from]) {
    if (kind === 'reset') socket.resetAndDestroy();
    if (kind === 'limit') socket.end(() => socket.destroy());
  }
  if (!into.destroyed) await once(into, 'close');
  throw new Error('cut off');
}

async function* slice(chunk: Buffer, bytes: number): AsyncGenerator<Buffer> {
  for (let at = 0; at < chunk.length; at += bytes) {
    yield chunk.subarray(at, at + bytes);
    await wait();
  }
}
