import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { serve } from './serve.ts';

/** `server`: bytes of a request; `client`: bytes of its answer. */
type Direction = 'server' | 'client';

/**
 * A fault on a connection.
 *
 *   down        closed on connect, like a published port whose program is not running
 *   latency     delays each chunk by `ms`
 *   slicer      splits the stream into pieces of `bytes`
 *   hang        passes nothing after `bytes` towards `to`; the connection stays open
 *   limit       closes at that point, after `ms` if given; with `to: 'client'`, a truncated answer
 *   reset       resets the connection at that point
 *
 * A slowdown starts at `after`, if given. A cut-off first sends `answer` to the client, if given;
 * after 0 bytes of an answer, it waits until the answer begins.
 */
export type Toxic = { readonly kind: 'down' } | Slowness | CutOff;

/** The point at which this many bytes have passed in that direction. */
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
  /** Each new connection gets the next fault; the last one repeats. Undefined means no fault. */
  readonly setToxic: (...toxics: readonly [Toxic | undefined, ...(Toxic | undefined)[]]) => void;
  readonly connections: () => number;
  readonly close: () => Promise<void>;
}

/** A TCP proxy on a free loopback port that injects faults into connections to `target`. */
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
    // Socket errors are ignored, because this proxy breaks connections on purpose.
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
  readonly passed: Record<Direction, number>;
}

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

/** How many bytes of a chunk pass before the slowdown starts. */
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

/** Cuts the connection once all passed bytes are flushed. Always throws. */
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
