import { STATUS_CODES } from 'node:http';
import { oneLine, summarise, type AnswerSummary } from './answer-summary.ts';
import { accepted, refused, unknown, type Delivery, type DmsDestination } from './destination.ts';
import { baseOf, type Endpoint } from './endpoint.ts';
import type { Answer } from './upload.ts';

/** What an answer is judged with. */
export interface UploadFacts {
  readonly endpoint: Endpoint;
  readonly destination: DmsDestination;
  readonly token: string;
  readonly bytes: number;
}

/** The task id of Celery, a UUID, as a bare JSON string: all that a 200 of Paperless-ngx holds. */
const TASK_ID = /^"([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})"$/i;

/**
 * What an answer means. Only a task id is a success. A redirect and every 4xx come before anything is stored; a 5xx may
 * come from a proxy that lost the system's answer, and a 2xx without a task id from anything.
 */
export function judgeAnswer(answer: Answer, facts: UploadFacts): Delivery {
  const { status } = answer;
  if (status >= 200 && status < 300) return judgeSuccess(answer, facts.token);
  const summary = summarise(answer, facts.token);
  if (status >= 500) return unknown(describeServerError(answer, summary));
  if (status >= 300 && status < 400) return refused(describeRedirect(answer, facts));
  return refused(`${statement(status, summary)}: ${advice(answer, summary, facts)}`);
}

function judgeSuccess(answer: Answer, token: string): Delivery {
  const taskId = TASK_ID.exec(answer.body.trim())?.[1];
  if (taskId !== undefined) return accepted(taskId);
  const { format, text } = summarise(answer, token);
  const said = {
    empty: 'nothing',
    html: `an HTML page ("${text}")`,
    json: text,
    text: `"${text}"`,
  }[format];
  return unknown(`answered ${answer.status} but not with a task id: ${said}`);
}

function describeRedirect({ status, location }: Answer, { endpoint, token }: UploadFacts): string {
  const base = location === undefined ? undefined : baseOf(location, endpoint.uploadUrl);
  if (base === undefined) return `${status} redirect to nowhere: check base_url`;
  const target = oneLine(base.replaceAll(token, '[token]'));
  if (base === endpoint.name) return `${status} redirect to itself: check the reverse proxy`;
  return `${status} redirect to ${target}: set base_url to the final address of Paperless-ngx`;
}

function describeServerError({ status }: Answer, summary: AnswerSummary): string {
  if (status === 500) {
    return `${statement(status, summary)}, look at the log of Paperless-ngx (is its broker running?)`;
  }
  if (status === 502 || status === 503 || status === 504) {
    return `${statement(status, summary)}, is Paperless-ngx running behind the reverse proxy?`;
  }
  return statement(status, summary);
}

/** `401 Invalid token`: what the system said, or the name of the status when it said nothing of use. */
function statement(status: number, { format, text }: AnswerSummary): string {
  const name = STATUS_CODES[status] ?? 'unknown status';
  const said = format === 'html' || text === '' ? name : text;
  return `${status} ${said}`;
}

/** What to do about a 4xx. */
function advice(answer: Answer, summary: AnswerSummary, facts: UploadFacts): string {
  const { token_secret: secret } = facts.destination;
  switch (answer.status) {
    case 400:
      return summary.format === 'json'
        ? 'check the destination in the profile and the metadata of the request'
        : 'check base_url, and that its host is in PAPERLESS_ALLOWED_HOSTS';
    case 401:
      return `check secret ${secret}`;
    case 403:
      return adviceOnForbidden(summary, secret);
    case 404:
    case 405:
      return 'check base_url, no Paperless-ngx API is there';
    case 406:
      return 'no common API version, or a reverse proxy changes the Accept header';
    case 413:
      return `the document has ${megabytes(facts.bytes)} MB, raise the body limit of the reverse proxy`;
    case 429:
      return `too many requests${waitingTime(answer.retryAfter)}`;
    default:
      return 'check base_url and the reverse proxy';
  }
}

/** With remote-user authentication switched on, a bad token is a 403 too, worded like a 401. */
function adviceOnForbidden({ format, text }: AnswerSummary, secret: string): string {
  if (/permission/i.test(text)) return 'give the user of the token the permission to add documents';
  if (format === 'json' && !text.startsWith('CSRF')) return `check secret ${secret}`;
  return 'check base_url, this is not the API of Paperless-ngx';
}

function waitingTime(retryAfter: string | undefined): string {
  return /^\d{1,6}$/.test(retryAfter ?? '') ? `, wait ${retryAfter} s` : '';
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
