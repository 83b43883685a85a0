import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { send, type Answer } from './answer.ts';

export type Fault = FaultOfAnswer | FaultOfTask;

/**
 * Replaces the normal response. With `store`, the document is stored and queued anyway, which makes
 * a lost response dangerous; without it, nothing is stored.
 */
type FaultOfAnswer =
  /** Any response. `early`: sent before the body is read, as by proxies. */
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly body?: string;
      readonly content_type?: string;
      readonly headers?: Readonly<Record<string, string>>;
      readonly early?: boolean;
      readonly store?: boolean;
    }
  | { readonly kind: 'redirect_to_self' }
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

/** The normal response is sent, but late, byte by byte, or for a task that fails. */
type FaultOfTask =
  | { readonly kind: 'delay'; readonly ms: number }
  | { readonly kind: 'slow_answer'; readonly byte_ms: number }
  /** The task keeps this status until `releaseTasks`. RETRY exists only before 3.0. */
  | { readonly kind: 'held_task'; readonly status: 'PENDING' | 'RECEIVED' | 'STARTED' | 'RETRY' }
  /** The task never starts, because it was lost with Redis's data. */
  | { readonly kind: 'lost_task' }
  /** Like `lost_task`, and not listed either, as an upgrade to 3.0 deletes all tasks. */
  | { readonly kind: 'forgotten_task' }
  /** The task succeeds without a document, as if barcodes had split it. */
  | { readonly kind: 'split_task' }
  | { readonly kind: 'failed_task'; readonly reason: string };

export interface FaultSwitch {
  /** Applies `fault` to all uploads, or to the next `times`. Undefined removes it. */
  readonly set: (fault: Fault | undefined, times?: number) => void;
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
      left -= 1;
      return left < 0 ? undefined : current;
    },
  };
}

export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** Applies a fault before the body is read. Returns true if the upload must not be handled. */
export async function actBeforeBody(
  fault: Fault | undefined,
  { request, response }: Exchange,
): Promise<boolean> {
  if (fault?.kind === 'hang') return fault.when === 'before_body';
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

export function isQueued(fault: Fault | undefined): boolean {
  const kinds: readonly unknown[] = ['answer', 'hang', 'reset', 'redirect_to_self'];
  if (fault === undefined || !kinds.includes(fault.kind)) return true;
  return 'store' in fault && fault.store;
}

/** `answer` is the normal response; undefined if there is none. */
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
    case 'reset': {
      if (fault.when === 'after_body') return void request.socket.resetAndDestroy();
      const { headers, body } = answer ?? { headers: {}, body: '"00000000-0000-4000' };
      response.writeHead(200, { ...headers, 'content-length': 1000 });
      response.write(body.slice(0, 10), () => response.socket?.destroy());
      return;
    }
    case 'slow_answer':
      response.writeHead(answer?.status ?? 200, answer?.headers);
      for (const byte of Buffer.from(answer?.body ?? '')) {
        if (response.destroyed) return;
        response.write(Buffer.from([byte]));
        await wait(fault.byte_ms);
      }
      return void response.end();
    case 'delay':
      await wait(fault.ms);
      return answer && send(response, answer);
    case 'failed_task':
    case 'forgotten_task':
    case 'held_task':
    case 'lost_task':
    case 'split_task':
      return answer && send(response, answer);
  }
}

function faultAnswer({ status, headers, ...fault }: Fault & { kind: 'answer' }): Answer {
  const type = { 'content-type': fault.content_type ?? 'application/json' };
  return { status, headers: { ...headers, ...type }, body: fault.body ?? '' };
}
