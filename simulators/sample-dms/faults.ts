import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { send, type Answer } from './answer.ts';

/**
 * A fault that uploads meet instead of a healthy system. With `store` the document is stored and queued all the same, which
 * makes a lost response dangerous; without it, a fault after the body stores nothing.
 */
export type Fault =
  /** Any response, including garbage. With `early` it is sent before the body is read, as reverse proxies do. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body?: string;
      readonly content_type?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly early?: boolean;
      readonly store?: boolean;
    }
  /** A response that never ends. */
  | { readonly kind: 'endless_answer'; readonly status: number }
  | { readonly kind: 'redirect_to_self' }
  /** The usual response, and a task that never ends, as one that Redis forgot, or one that fails for a `reason`. */
  | { readonly kind: 'lost_task' }
  | { readonly kind: 'failed_task'; readonly reason: string }
  /** The usual response, later. */
  | { readonly kind: 'delay'; readonly ms: number }
  /** The usual response, one byte at a time. */
  | { readonly kind: 'slow_answer'; readonly byte_ms: number }
  | {
      readonly kind: 'hang';
      readonly when: 'before_body' | 'after_body';
      readonly store?: boolean;
    }
  | {
      readonly kind: 'reset';
      readonly when: 'mid_body' | 'after_body' | 'mid_answer';
      readonly store?: boolean;
    };

export interface FaultSwitch {
  /** Applies `fault` to all uploads, or to the next `times`. Undefined removes it. */
  readonly set: (fault: Fault | undefined, times?: number) => void;
  /** The fault of the next upload. */
  readonly take: () => Fault | undefined;
}

export function createFaultSwitch(): FaultSwitch {
  let current: Fault | undefined;
  let left = 0;
  return {
    set: (fault, times = Number.POSITIVE_INFINITY) => {
      current = fault;
      left = times;
    },
    take: () => {
      if (current === undefined || left <= 0) return undefined;
      left -= 1;
      return current;
    },
  };
}

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Applies a fault before the body is read. Returns true if the request needs no further handling. */
export async function actBeforeBody(
  fault: Fault | undefined,
  { request, response }: Exchange,
): Promise<boolean> {
  if (fault?.kind === 'hang' && fault.when === 'before_body') return true;
  if (fault?.kind === 'answer' && fault.early === true) {
    send(response, faultAnswer(fault));
    request.resume();
    return true;
  }
  if (fault?.kind === 'reset' && fault.when === 'mid_body') {
    await once(request, 'data');
    request.socket.resetAndDestroy();
    return true;
  }
  return false;
}

const LETTING: ReadonlySet<Fault['kind']> = new Set([
  'delay',
  'slow_answer',
  'lost_task',
  'failed_task',
]);

/** Whether an upload with this fault is queued as usual. */
export function lets(fault: Fault | undefined): boolean {
  if (fault === undefined || LETTING.has(fault.kind)) return true;
  return 'store' in fault && (fault.store ?? false);
}

/** Applies a fault after the body was read. `answer` is the response of a healthy system, undefined if it was not asked. */
export async function actAfterBody(
  fault: Fault,
  answer: Answer | undefined,
  { request, response }: Exchange,
): Promise<void> {
  switch (fault.kind) {
    case 'hang':
      return;
    case 'answer':
      return send(response, faultAnswer(fault));
    case 'redirect_to_self':
      return send(response, { status: 302, headers: { location: request.url ?? '/' }, body: '' });
    case 'delay':
      await wait(fault.ms);
      return answer && send(response, answer);
    case 'lost_task':
    case 'failed_task':
      return answer && send(response, answer);
    case 'slow_answer':
      return answer && trickle(response, answer, fault.byte_ms);
    case 'endless_answer':
      return flood(response, fault.status);
    case 'reset':
      return fault.when === 'after_body'
        ? void request.socket.resetAndDestroy()
        : breakOff(response, answer);
  }
}

function faultAnswer(fault: Fault & { kind: 'answer' }): Answer {
  const headers = { ...fault.headers, 'content-type': fault.content_type ?? 'application/json' };
  return { status: fault.status, headers, body: fault.body ?? '' };
}

async function trickle(response: ServerResponse, answer: Answer, byteMs: number): Promise<void> {
  response.writeHead(answer.status, answer.headers);
  for (const byte of Buffer.from(answer.body)) {
    if (response.destroyed) return;
    response.write(Buffer.from([byte]));
    await wait(byteMs);
  }
  response.end();
}

async function flood(response: ServerResponse, status: number): Promise<void> {
  response.writeHead(status, { 'content-type': 'text/html' });
  // Ends when the client closes the connection.
  await pipeline(Readable.from(garbage()), response).catch(() => {});
}

function* garbage(): Generator<string> {
  while (true) yield 'garbage '.repeat(8192);
}

/** Sends half of a response and closes the connection. */
function breakOff(response: ServerResponse, answer: Answer | undefined): void {
  const body = answer?.body ?? '"00000000-0000-4000-8000-000000000000"';
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
  });
  response.write(body.slice(0, 10), () => response.socket?.destroy());
}
