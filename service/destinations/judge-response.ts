import { STATUS_CODES } from 'node:http';
import { accepted, refused, unknown, type Delivery, type DmsDestination } from './destination.ts';
import { baseOf, type Endpoint } from './endpoint.ts';
import { explainRefusal } from './explain-refusal.ts';
import { createRedactor } from './redact.ts';
import { oneLine, summarize, type ResponseSummary } from './summarize-response.ts';
import type { UploadResponse } from './upload.ts';

/** What an answer is judged with. */
export interface UploadFacts {
  readonly endpoint: Endpoint;
  readonly destination: DmsDestination;
  readonly token: string;
  readonly bytes: number;
}

/** The task id of Celery, a UUID, as a bare JSON string: all that a 200 of Paperless-ngx holds. */
const TASK_ID = /^"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"$/i;

/** Redirects that ask for the same request elsewhere. A 303 may follow a request that was carried out. */
const REDIRECTS = new Set([301, 302, 307, 308]);

/** How Django words a failure of any kind; one of them is that it cannot queue the document. */
const DJANGO_FAILED = 'Server Error (500)';

/**
 * What an answer means. Only a task id is a success. These redirects and every 4xx come before anything is stored; a 5xx may
 * come from a proxy that lost the answer of Paperless-ngx, and any other status from anything.
 */
export function judgeResponse(response: UploadResponse, facts: UploadFacts): Delivery {
  const { status, body } = response;
  const redact = createRedactor(facts.token);
  if (REDIRECTS.has(status)) return refused(explainRedirect(response, facts.endpoint, redact));
  const taskId = TASK_ID.exec(body.trim())?.[1];
  const isSuccess = status >= 200 && status < 300;
  if (isSuccess && taskId !== undefined) return accepted(taskId);
  const summary = summarize(body, redact);
  if (isSuccess) return unknown(explainMissingTask(status, summary, facts.endpoint));
  const statement = stateOf(status, summary);
  if (status < 400 || status >= 500) {
    return unknown(explainServerError({ status, statement, summary }, facts.endpoint));
  }
  return refused(explainRefusal(response, { ...facts, summary, statement }));
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
  { status, location }: UploadResponse,
  { name, uploadUrl }: Endpoint,
  redact: (text: string) => string,
): string {
  const base = location === undefined ? undefined : baseOf(location, uploadUrl);
  if (base === undefined)
    return `${name} redirects uploads to nowhere (${status}). Check base_url.`;
  if (base === name) {
    return `${name} redirects uploads to itself (${status}). Check the reverse proxy.`;
  }
  const target = oneLine(redact(base));
  return `${name} redirects uploads to ${target} (${status}). Set base_url to the final address of Paperless-ngx.`;
}

function explainServerError(
  answer: { status: number; statement: string; summary: ResponseSummary },
  { name }: Endpoint,
): string {
  const { status, statement, summary } = answer;
  if (status === 502 || status === 503 || status === 504) {
    return `The reverse proxy got no answer from Paperless-ngx (${statement}). Check that Paperless-ngx is running.`;
  }
  if (status < 500) {
    return `${name} did not answer as Paperless-ngx does (${statement}). Check base_url and the reverse proxy.`;
  }
  const broker =
    summary.text === DJANGO_FAILED ? ', and whether its broker (Redis) is running' : '';
  return `Paperless-ngx failed (${statement}). Check its log${broker}.`;
}

/** `401 Invalid token`: the message of the system, or the name of the status when there is none of use. */
function stateOf(status: number, { format, text }: ResponseSummary): string {
  const name = STATUS_CODES[status] ?? 'unknown status';
  return `${status} ${format === 'html' || text === '' ? name : text}`;
}
