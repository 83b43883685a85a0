import type { IncomingMessage } from 'node:http';
import { jsonAnswer, type Answer } from './answer.ts';
import { readBody } from './body.ts';
import type { SampleDmsOptions, TokenUser } from './options.ts';

const MINUTE_MS = 60_000;

/** Counts requests to `/api/token/`. Returns the seconds to wait if there were too many. */
export type Throttle = (nowMs: number) => number | undefined;

/** Allows `perMinute` requests per minute. Undefined means no limit. */
export function createThrottle(perMinute: number | undefined): Throttle {
  const passed: number[] = [];
  return (nowMs) => {
    while (passed[0] !== undefined && passed[0] <= nowMs - MINUTE_MS) passed.shift();
    const [oldest] = passed;
    if (perMinute !== undefined && oldest !== undefined && passed.length >= perMinute) {
      return Math.ceil((oldest + MINUTE_MS - nowMs) / 1000);
    }
    passed.push(nowMs);
    return undefined;
  };
}

export interface TokenContext {
  readonly users: readonly TokenUser[];
  readonly options: Pick<SampleDmsOptions, 'login'>;
  readonly throttle: Throttle;
}

/** `POST /api/token/`: returns the token for a user name and password, sent as a form or as JSON. */
export async function giveToken(
  { users, options: { login }, throttle }: TokenContext,
  request: IncomingMessage,
): Promise<Answer> {
  const seconds = throttle(Date.now());
  if (seconds !== undefined) {
    const unit = seconds === 1 ? 'second' : 'seconds';
    const detail = `Request was throttled. Expected available in ${seconds} ${unit}.`;
    return jsonAnswer(429, { detail }, { 'retry-after': String(seconds) });
  }
  const body = await readBody(request);
  if (body.kind === 'refused') return body.answer;
  const given = new Map(
    Object.entries(Object(body.value)).map(([name, value]) => [name, String(value)]),
  );
  const missing = ['username', 'password'].filter((name) => !given.has(name));
  if (missing.length > 0) {
    const required = missing.map((name) => [name, ['This field is required.']]);
    return jsonAnswer(400, Object.fromEntries(required));
  }
  const right =
    login?.username === given.get('username') && login?.password === given.get('password');
  const token = users.find((user) => user.username === login?.username)?.token;
  if (right && token !== undefined) return jsonAnswer(200, { token });
  return jsonAnswer(400, {
    non_field_errors: ['Unable to log in with provided credentials.'],
  });
}
