import Joi from 'joi';
import type { LookupFunction } from 'node:net';
import { readJson } from '../../helpers/read-json.ts';
import {
  ABORTED,
  trackedRequest,
  type NoResponse,
  type RequestTimeouts,
  type TrackedResponse,
} from '../http-client/tracked-request.ts';
import { QUESTION_TIMEOUTS_MS, type DmsAccess } from '../paperless/ask-dms.ts';
import { DEFAULT_TOKEN_SECRET } from '../paperless/destination.ts';
import { dryRun, linkWithoutResponse, type DryRun, type Link } from '../paperless/dry-run.ts';
import { endpointOf, type Endpoint } from '../paperless/endpoint.ts';
import { plainAddress } from '../profiles/text-rules.ts';
import { bareToken, LOOKS_LIKE_TOKEN, TOKEN } from '../paperless/token.ts';
import { guardedLookup, hasRefusedHost, REFUSED_ADDRESS } from './address-rule.ts';
import { messageFor, type Message, type TextKey } from './texts/texts.ts';

/** A token, or a user and a password for getting one. */
export type Account =
  | { readonly kind: 'none' }
  | { readonly kind: 'token'; readonly token: string }
  | {
      readonly kind: 'login';
      readonly user: string;
      readonly password: string;
      /** The code of an authenticator app. */
      readonly code: string | undefined;
    };

/** `good`: the token may add documents. `answers`: there was no account to check. */
export type Asked =
  | { readonly kind: 'good'; readonly address: string; readonly token: string }
  | { readonly kind: 'answers'; readonly address: string }
  | { readonly kind: 'broken'; readonly message: Message };

export interface AskOptions {
  /** Addresses from the operator or docker-compose.yml. They may be on this machine. */
  readonly trusted: readonly string[];
  readonly signal: AbortSignal;
  readonly lookup?: LookupFunction;
}

const TOKEN_LENGTH = 40;

/** A Paperless-ngx that has just started, or whose disks sleep, takes seconds. */
const ANSWER_MS = 8000;
const TIMEOUTS_MS: RequestTimeouts = {
  ...QUESTION_TIMEOUTS_MS,
  socket: ANSWER_MS,
  response: ANSWER_MS,
};

/** The codes of a system that accepts the connection and does not answer in time. */
const LATE = new Set([ABORTED, 'ETIMEDOUT']);

/** The code of OpenSSL if the other side answers, but not with TLS. */
const PLAIN = /^(?:EPROTO|ERR_SSL_(?:WRONG_VERSION_NUMBER|PACKET_LENGTH_TOO_LONG))$/u;

/** Sent to find out whether a Paperless-ngx answers, which then refuses this token. */
const NO_TOKEN = 'no-token-yet';

const tokenAnswer = Joi.object<{ readonly token: string }>({
  token: Joi.string().pattern(TOKEN).max(256).required(),
}).unknown();

/** Requests only paths below `/api/`, follows no redirects, and never quotes a response. */
export async function askPaperless(
  given: string,
  account: Account,
  options: AskOptions,
): Promise<Asked> {
  const place = placeOf(given.trim(), options);
  if ('kind' in place) return place;
  if (account.kind === 'token') return check(bareToken(account.token.trim()), place);
  // Makes sure that a Paperless-ngx answers before it gets a password.
  const asked = await check(NO_TOKEN, place);
  const address = place.endpoint.name;
  if (asked.kind === 'broken' && !ACCOUNT_KEYS.includes(asked.message.key)) return asked;
  if (account.kind === 'none') return { kind: 'answers', address };
  const token = await exchange(account, place);
  return typeof token === 'string' ? check(token, place) : token;
}

/** Problems that do not matter when only the address is checked. */
export const ACCOUNT_KEYS: readonly TextKey[] = [
  'paperless.token',
  'paperless.token_length',
  'paperless.permission',
];

interface Place {
  readonly endpoint: Endpoint;
  readonly signal: AbortSignal;
  /** Undefined for a trusted address: it may be on this machine. */
  readonly lookup: LookupFunction | undefined;
}

function placeOf(
  given: string,
  { trusted, signal, lookup = guardedLookup }: AskOptions,
): Place | Asked {
  if (LOOKS_LIKE_TOKEN.test(given)) return broken('paperless.is_token');
  const endpoint = endpointOf(withScheme(given));
  // Profiles and pages use the address, and have this rule too.
  if (endpoint === undefined || plainAddress.validate(endpoint.name).error) {
    return broken('paperless.not_an_address');
  }
  const isTrusted = trusted.some((one) => endpointOf(one)?.name === endpoint.name);
  if (!isTrusted && hasRefusedHost(endpoint.uploadUrl)) return refusedBy(endpoint);
  return { endpoint, signal, lookup: isTrusted ? undefined : lookup };
}

/** People type addresses without `http://`. */
export function withScheme(address: string): string {
  return /^[a-z]+:\/\//iu.test(address) ? address : `http://${address}`;
}

async function check(token: string, { endpoint, signal, lookup }: Place): Promise<Asked> {
  if (!TOKEN.test(token)) return broken('paperless.not_a_token');
  const access: DmsAccess = {
    destination: { kind: 'dms', base_url: endpoint.name, token_secret: DEFAULT_TOKEN_SECRET },
    endpoint,
    token,
    signal,
    timeouts: TIMEOUTS_MS,
  };
  const ran = await dryRun(access, {}, lookup);
  if (ran.kind === 'reached') return { kind: 'good', address: endpoint.name, token };
  if (ran.code === REFUSED_ADDRESS) return refusedBy(endpoint);
  return brokenBy(ran, endpoint, token);
}

type BrokenRun = Extract<DryRun, { readonly kind: 'broken' }>;

/** Says more than the broken link if the address or the token gives a hint. */
function brokenBy({ link, code }: BrokenRun, { name: address }: Endpoint, token: string): Asked {
  const { origin, pathname } = new URL(address);
  const length = String(token.length);
  if (link === 'token' && token !== NO_TOKEN && token.length !== TOKEN_LENGTH)
    return broken('paperless.token_length', { length });
  const key = keyOf(link, code);
  if (key === 'paperless.api' && pathname !== '/')
    return broken('paperless.api_path', { address, origin });
  const isPlain = code !== undefined && PLAIN.test(code);
  return broken(link === 'tls' && isPlain ? 'paperless.no_tls' : key, { address });
}

/** The key of the text about a broken link. */
function keyOf(link: Link, code: string | undefined): `paperless.${Link | 'slow'}` {
  const isLate = link === 'api' && code !== undefined && LATE.has(code);
  return isLate ? 'paperless.slow' : `paperless.${link}`;
}

type LogIn = Extract<Account, { readonly kind: 'login' }>;

/** Gets a token for a user and a password. */
async function exchange(
  { user: username, password, code }: LogIn,
  { endpoint, signal, lookup }: Place,
): Promise<string | Asked> {
  const answer = await trackedRequest({
    method: 'POST',
    url: new URL(`${endpoint.name}/api/token/`),
    headers: {
      accept: 'application/json; version=9',
      'accept-language': 'en',
      'content-type': 'application/json',
    },
    body: JSON.stringify({ username, password, ...(code !== undefined && { code }) }),
    timeouts: TIMEOUTS_MS,
    signal,
    lookup,
  });
  if (answer.kind === 'no_response') return withoutResponse(answer, endpoint);
  const token = answer.status === 200 ? readJson(answer.body, tokenAnswer)?.token : undefined;
  return token ?? brokenLogIn(answer, endpoint);
}

function withoutResponse(noResponse: NoResponse, endpoint: Endpoint): Asked {
  if (noResponse.code === REFUSED_ADDRESS) return refusedBy(endpoint);
  const key = keyOf(linkWithoutResponse(noResponse), noResponse.code);
  return broken(key, { address: endpoint.name });
}

function brokenLogIn({ status, body, headers }: TrackedResponse, { name }: Endpoint): Asked {
  if (status === 429) return broken('paperless.throttled');
  if (status === 406) return broken('paperless.version', { address: name });
  const isApi = status === 400 && String(headers['content-type']).includes('json');
  if (!isApi) return broken('paperless.api', { address: name });
  return broken(/\bMFA\b/iu.test(body) ? 'paperless.mfa' : 'paperless.wrong_login');
}

function refusedBy({ name }: Endpoint): Asked {
  return broken('paperless.local_address', { address: name });
}

function broken(key: TextKey, facts: Message['facts'] = {}): Asked {
  return { kind: 'broken', message: messageFor(key, facts) };
}
