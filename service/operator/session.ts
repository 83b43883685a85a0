import { createHmac, timingSafeEqual } from 'node:crypto';
import type { StoredPassword } from './password.ts';

/** A session may be forgotten on somebody's phone. */
export const SESSION_MS = 12 * 60 * 60 * 1000;

/** Returns the cookie value of a new session: its end and a signature. */
export function newSession({ session_key: key }: StoredPassword, now: number): string {
  const end = String(now + SESSION_MS);
  return `${end}.${signatureOf(end, key)}`;
}

export function isSession(
  value: string,
  { session_key: key }: StoredPassword,
  now: number,
): boolean {
  const [, end, signature] = SESSION.exec(value) ?? [];
  if (end === undefined || signature === undefined) return false;
  const isSigned = timingSafeEqual(Buffer.from(signature), Buffer.from(signatureOf(end, key)));
  return isSigned && isInTime(value, now);
}

const SESSION = /^(\d{1,15})\.([\w-]{43})$/u;

/** Does not check the signature. */
export function isInTime(value: string, now: number): boolean {
  const end = Number(SESSION.exec(value)?.[1]);
  // Setting the clock back must not prolong a session.
  return end > now && end <= now + SESSION_MS;
}

/** Sessions whose owner logged out, kept until they expire. A restart forgets them. */
export interface EndedSessions {
  readonly has: (session: string) => boolean;
  /** Only for valid sessions, so that callers cannot fill the memory. */
  readonly add: (session: string, now: number) => void;
}

export function createEndedSessions(): EndedSessions {
  const ended = new Set<string>();
  return {
    has: (session) => ended.has(session),
    add: (session, now) => {
      for (const one of ended) if (Number.parseInt(one, 10) <= now) ended.delete(one);
      ended.add(session);
    },
  };
}

function signatureOf(end: string, key: string): string {
  const text = `operator session of the scan service until ${end}`;
  return createHmac('sha256', Buffer.from(key, 'base64')).update(text).digest('base64url');
}
