import Joi from 'joi';
import { readJson } from '../../helpers/read-json.ts';
import { trackedRequest, type RequestTimeouts } from '../http-client/tracked-request.ts';
import type { SelfTestResult } from '../self-test/self-test.ts';

/** Longer than a self-test takes, in milliseconds. */
const ANSWER_MS = 20_000;

const TIMEOUTS_MS: RequestTimeouts = {
  lookup: 3000,
  connect: 3000,
  secureConnect: 3000,
  socket: ANSWER_MS,
  send: 3000,
  response: ANSWER_MS,
  read: 3000,
};

/** A check has some 300 bytes; a hundred profiles have a few hundred checks. */
const MAX_BYTES = 2_000_000;

const text = Joi.string().allow('');
const schema = Joi.object<SelfTestResult>({
  status: Joi.valid('ok', 'problems').required(),
  checks: Joi.array()
    .items(
      Joi.object({
        id: text.required(),
        subject: text.required(),
        status: Joi.valid('ok', 'warn', 'fail', 'skipped', 'unknown').required(),
        message: text.required(),
        remedy: text.allow(null).required(),
      }).unknown(),
    )
    .required(),
}).unknown();

/** The self-test of the service at that address, or why there is none. `tokenProblem` says why the token could not be read. */
export async function askSelfTest(
  url: string,
  { token, tokenProblem }: { readonly token?: string; readonly tokenProblem?: string },
): Promise<{ readonly result: SelfTestResult } | { readonly problem: string }> {
  const answer = await trackedRequest({
    method: 'GET',
    url: new URL('self-test?refresh=true', url.endsWith('/') ? url : `${url}/`),
    headers: token === undefined ? {} : { authorization: `Bearer ${token}` },
    timeouts: TIMEOUTS_MS,
    signal: AbortSignal.timeout(ANSWER_MS),
    maxBytes: MAX_BYTES,
  });
  if (answer.kind === 'no_response') {
    const problem = `The service does not answer at ${url} (${answer.code}). Start it, or give its address with --url.`;
    return { problem };
  }
  if (answer.status === 401) {
    const advice = 'Set SCAN_API_TOKEN, or run this where its secret scan_api_token can be read.';
    return { problem: `The service at ${url} requires a token. ${tokenProblem ?? advice}` };
  }
  const result = answer.status === 200 ? readJson(answer.body, schema) : undefined;
  if (result) return { result };
  return { problem: `At ${url} there is no scan service (${answer.status}). Check --url.` };
}
