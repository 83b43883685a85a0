import type { Place, Toxic } from '../../support/network-fault-proxy.ts';

/** The eight ways in which a network fails, after toxiproxy. */
export const FAULTS = [
  'latency',
  'down',
  'reset',
  'slow close',
  'half answer',
  'limit',
  'slicer',
  'hang',
] as const;

export type Fault = (typeof FAULTS)[number];

/** The four moments of an upload at which they begin. */
export const MOMENTS = [
  'at the connection',
  'mid-body',
  'before the answer',
  'mid-answer',
] as const;

export type Moment = (typeof MOMENTS)[number];

/** Those that only make it slow. */
export function isSlowOnly(fault: Fault): boolean {
  return fault === 'latency' || fault === 'slicer';
}

/** Long beside what a request takes on loopback, short beside every timeout. */
const LATENCY_MS = 50;

/** What a proxy does to the connection that is hurt, and to those after it. `bodyBytes` is about half of a request. */
export function toxicsOf(
  fault: Fault,
  moment: Moment,
  bodyBytes: number,
): [now: Toxic, later: Toxic | undefined] {
  const place = placeOf(moment, bodyBytes);
  switch (fault) {
    case 'latency':
      return [{ kind: 'latency', ms: LATENCY_MS, after: place }, undefined];
    case 'slicer':
      return [{ kind: 'slicer', bytes: 1, ms: 0, after: place }, undefined];
    case 'down':
      return [{ kind: 'limit', ...place }, { kind: 'down' }];
    case 'slow close':
      return [{ kind: 'limit', ms: 10 * LATENCY_MS, ...place }, undefined];
    case 'half answer':
      return [{ kind: 'limit', answer: halfAnswerAt(moment), ...place }, undefined];
    case 'limit':
    case 'reset':
    case 'hang':
      return [{ kind: fault, ...place }, undefined];
  }
}

function placeOf(moment: Moment, bodyBytes: number): Place {
  switch (moment) {
    case 'at the connection':
      return { to: 'server', bytes: 0 };
    case 'mid-body':
      return { to: 'server', bytes: bodyBytes };
    case 'before the answer':
      return { to: 'client', bytes: 0 };
    case 'mid-answer':
      // In the middle of the headers.
      return { to: 'client', bytes: 60 };
  }
}

/** In the middle of an answer it goes on as the real one did not; before, it is the beginning of one. */
function halfAnswerAt(moment: Moment): string {
  return moment === 'mid-answer' ? 'x' : 'HTTP/1.1 200 OK\r\nContent-Length: 38\r\n\r\n"000';
}
