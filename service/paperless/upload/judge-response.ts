import { STATUS_CODES } from 'node:http';
import type { DmsDestination, Judgement } from '../destination.ts';
import { baseOf, type Endpoint } from '../endpoint.ts';
import { explainRefusal, type RefusalFacts } from './explain-refusal.ts';
import { oneLine, summarize, type ResponseSummary } from './summarize-response.ts';
import { createRedactor } from '../token.ts';
import type { TrackedResponse } from '../../http-client/tracked-request.ts';

/** What an answer is judged with. */
export interface UploadFacts {
  readonly endpoint: Endpoint;
  readonly destination: DmsDestination;
  readonly token: string;
  /** Size of the document. */
  readonly bytes: number;
}

/** The task id of Celery, a UUID, as a bare JSON string: all that a 200 of Paperless-ngx holds. */
const TASK_ID = /^"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"$/i;

/** Redirects that ask for the same request elsewhere. A 303 may follow a request that was carried out. */
const REDIRECTS = new Set([301, 302, 307, 308]);

/**
 * What an answer means. Only a task id is a success. These redirects and every 4xx come before anything is stored; a 5xx may
 * come from a proxy that lost the answer of Paperless-ngx, and any other status from anything.
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
  // The message of the system, or the name of the status when there is none of use.
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
  const found = { empty: 'nothing', html: `an HTML page: ${text}`, json: text, text }[format];
  return `${name} answered ${status} without a task id (${found}). Check base_url.`;
}

function explainRedirect(
  { status, headers }: TrackedResponse,
  { name, uploadUrl }: Endpoint,
  redact: (text: string) => string,
): string {
  const { location = '' } = headers;
  const redirects = `${name} redirects uploads to`;
  const base = location && baseOf(location, uploadUrl);
  if (!base) return `${redirects} nowhere (${status}). Check base_url.`;
  if (base === name) return `${redirects} itself (${status}). Check the reverse proxy.`;
  const target = oneLine(redact(base));
  // A log-in page is elsewhere, or beside Paperless-ngx; its address would be no use in base_url.
  const isLogIn = /log-?in|sign-?in|auth|sso|saml/i.test(location);
  return isLogIn
    ? `A reverse proxy before ${name} sends uploads to a log-in page, ${target} (${status}). Let it pass requests to /api/ on without a log-in.`
    : `${redirects} ${target} (${status}). Set base_url to the final address of Paperless-ngx.`;
}

function explainServerError(
  status: number,
  { endpoint, statement, summary }: RefusalFacts,
): string {
  if (status >= 502 && status <= 504) {
    return `The reverse proxy got no answer from Paperless-ngx (${statement}). Check that Paperless-ngx is running.`;
  }
  if (status < 500) {
    return `${endpoint.name} did not answer as Paperless-ngx does (${statement}). Check base_url and the reverse proxy.`;
  }
  // How Django words a failure of any kind; one of them is that it cannot queue the document.
  const isDjango = summary.text === 'Server Error (500)';
  const more = isDjango ? ', its disk, and whether its broker (Redis) is running' : '';
  return `Paperless-ngx failed (${statement}). Check its log${more}.`;
}
