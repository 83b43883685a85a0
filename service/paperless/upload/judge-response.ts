import { STATUS_CODES } from 'node:http';
import { cause } from '../causes.ts';
import type { DmsDestination, Judgement } from '../destination.ts';
import { baseOf, type Endpoint } from '../endpoint.ts';
import { oneLine, summarize, type ResponseSummary } from './summarize-response.ts';
import { createRedactor } from '../token.ts';
import type { TrackedResponse } from '../../http-client/tracked-request.ts';

export interface UploadFacts {
  readonly endpoint: Endpoint;
  readonly destination: DmsDestination;
  readonly token: string;
  readonly bytes: number;
}

interface RefusalFacts extends UploadFacts {
  readonly summary: ResponseSummary;
  /** Status and message, such as `401 Invalid token`. */
  readonly statement: string;
}

/** A successful response is only a Celery task id: a UUID as a JSON string. */
const TASK_ID = /^"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"$/i;

/** Redirects that prove that nothing was done. A 303 may follow a successful request. */
const REDIRECTS = new Set([301, 302, 307, 308]);

/**
 * Only a task id means success. Statuses in `REDIRECTS` and 4xx prove that nothing was stored. Any
 * other response, such as a proxy's 5xx, leaves the outcome unknown.
 */
export function judgeResponse(response: TrackedResponse, facts: UploadFacts): Judgement {
  const { status, body } = response;
  const redact = createRedactor(facts.token);
  if (REDIRECTS.has(status))
    return { outcome: 'refused', cause: explainRedirect(response, facts.endpoint, redact) };
  const summary = summarize(body, redact);
  if (status >= 200 && status < 300) {
    const taskId = TASK_ID.exec(body.trim())?.[1];
    if (taskId !== undefined) return { outcome: 'accepted', taskId };
    return { outcome: 'unknown', cause: explainMissingTask(status, summary, facts.endpoint) };
  }
  const isPage = summary.format === 'html' || summary.text === '';
  const message = isPage ? (STATUS_CODES[status] ?? 'unknown status') : summary.text;
  const explained = { ...facts, summary, statement: `${status} ${message}` };
  if (status >= 400 && status < 500)
    return { outcome: 'refused', cause: explainRefusal(response, explained) };
  return { outcome: 'unknown', cause: explainServerError(status, explained) };
}

function explainMissingTask(
  status: number,
  { format, text }: ResponseSummary,
  { name }: Endpoint,
): string {
  const said = { empty: 'nothing', html: `an HTML page: ${text}`, json: text, text }[format];
  return cause('wrong_address/task', { system: name, status, said });
}

function explainRedirect(
  { status, headers }: TrackedResponse,
  { name, uploadUrl }: Endpoint,
  redact: (text: string) => string,
): string {
  const { location = '' } = headers;
  const facts = { system: name, said: String(status) };
  const base = location && baseOf(location, uploadUrl);
  if (!base) return cause('wrong_address/nowhere', facts);
  if (base === name) return cause('wrong_address/itself', facts);
  const target = oneLine(redact(base));
  // A log-in page has another address, which would not work as base_url.
  const isLogIn = /log-?in|sign-?in|auth|sso|saml/i.test(location);
  return cause(isLogIn ? 'log_in/page' : 'wrong_address/elsewhere', { ...facts, target });
}

function explainServerError(
  status: number,
  { endpoint, statement: said, summary }: RefusalFacts,
): string {
  if (status >= 502 && status <= 504) return cause('system_failed/proxy', { said });
  if (status < 500) return cause('wrong_address/other', { system: endpoint.name, said });
  // Django answers this for any failure, such as a broker that is down.
  const isDjango = summary.text === 'Server Error (500)';
  const more = isDjango ? ', its disk, and whether its broker (Redis) is running' : '';
  return cause('system_failed', { said, more });
}

function explainRefusal({ status, headers }: TrackedResponse, facts: RefusalFacts): string {
  const { statement: said } = facts;
  const system = facts.endpoint.name;
  const token = cause('token/refused', { said, secret: facts.destination.token_secret });
  const noApi = cause('wrong_address/no_api', { system, said });
  const megabytes = (facts.bytes / 1_000_000).toFixed(1);
  const retryAfter = headers['retry-after'];
  const later = /^\d{1,6}$/.test(retryAfter ?? '') ? `after ${retryAfter} s` : 'later';
  const explanations: Readonly<Record<number, string>> = {
    400: explainBadRequest(facts),
    401: isOfProxy(headers, facts) ? cause('log_in/asked', { system, said }) : token,
    403: explainForbidden(facts) ?? token,
    404: noApi,
    405: noApi,
    406: cause('wrong_address/version', { said }),
    413: cause('too_large', { megabytes, said }),
    429: cause('too_many', { said, later }),
  };
  return explanations[status] ?? cause('wrong_address/refused', { system, said });
}

/** Paperless-ngx also asks for Basic authentication, but answers in JSON, unlike a proxy. */
function isOfProxy(headers: TrackedResponse['headers'], { summary }: RefusalFacts): boolean {
  return /^basic/i.test(headers['www-authenticate'] ?? '') && summary.format !== 'json';
}

function explainBadRequest({ endpoint, summary, statement: said }: RefusalFacts): string {
  if (summary.format === 'json') {
    // Before 2.19, the field accepted only ids of custom fields, without values.
    const isOld = /\bcustom_fields: [^;]*expected pk value/i.test(summary.text);
    return cause(isOld ? 'metadata/fields' : 'metadata/refused', { said });
  }
  // nginx, Apache and Go use these words for plain HTTP on an HTTPS port.
  return /plain HTTP|HTTPS|SSL-enabled/i.test(summary.text)
    ? cause('wrong_address/expects_tls', { system: endpoint.name, said: summary.text })
    : cause('wrong_address/host', { said });
}

/** Undefined for an invalid token, which also gets 403 with remote-user authentication. */
function explainForbidden({
  endpoint,
  summary,
  statement: said,
}: RefusalFacts): string | undefined {
  if (/permission/i.test(summary.text)) return cause('permission', { said });
  if (summary.format === 'json' && !summary.text.startsWith('CSRF')) return undefined;
  return cause('wrong_address/not_paperless', { system: endpoint.name, said });
}
