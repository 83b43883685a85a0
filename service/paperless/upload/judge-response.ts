import { STATUS_CODES } from 'node:http';
import { cause } from '../causes.ts';
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
  // A log-in page is elsewhere, or beside Paperless-ngx; its address would be no use in base_url.
  const isLogIn = /log-?in|sign-?in|auth|sso|saml/i.test(location);
  return cause(isLogIn ? 'log_in/page' : 'wrong_address/elsewhere', { ...facts, target });
}

function explainServerError(
  status: number,
  { endpoint, statement: said, summary }: RefusalFacts,
): string {
  if (status >= 502 && status <= 504) return cause('system_failed/proxy', { said });
  if (status < 500) return cause('wrong_address/other', { system: endpoint.name, said });
  // How Django words a failure of any kind; one of them is that it cannot queue the document.
  const isDjango = summary.text === 'Server Error (500)';
  const more = isDjango ? ', its disk, and whether its broker (Redis) is running' : '';
  return cause('system_failed', { said, more });
}
