import type { DmsDestination } from './destination.ts';
import type { Endpoint } from './endpoint.ts';
import type { ResponseSummary } from './summarize-response.ts';
import type { UploadResponse } from './upload.ts';

/** What the explanation of a refusal is made of. */
export interface RefusalFacts {
  readonly endpoint: Endpoint;
  readonly destination: DmsDestination;
  /** Size of the document. */
  readonly bytes: number;
  readonly summary: ResponseSummary;
  /** Status and message, such as `401 Invalid token`. */
  readonly statement: string;
}

/** Why an upload was refused with a 4xx, and what to do about it. */
export function explainRefusal(response: UploadResponse, facts: RefusalFacts): string {
  const { endpoint, statement } = facts;
  switch (response.status) {
    case 400:
      return explainBadRequest(facts);
    case 401:
      return refusedToken(facts);
    case 403:
      return explainForbidden(facts);
    case 404:
    case 405:
      return `There is no API of Paperless-ngx at ${endpoint.name} (${statement}). Check base_url.`;
    case 406:
      return `Paperless-ngx has no API version that this service knows, or a reverse proxy changes the Accept header (${statement}). Check both.`;
    case 413:
      return `The document has ${megabytes(facts.bytes)} MB, which is too large for the reverse proxy (${statement}). Raise its body limit.`;
    case 429:
      return `Paperless-ngx gets too many requests (${statement}). ${waitingTime(response.retryAfter)}`;
    default:
      return `${endpoint.name} refused the upload (${statement}). Check base_url and the reverse proxy.`;
  }
}

function explainBadRequest({ endpoint, summary, statement }: RefusalFacts): string {
  if (summary.format === 'json') {
    // Before 2.19 the field takes ids of custom fields, but not their values.
    if (summary.fields.includes('custom_fields') && /expected pk value/i.test(summary.text)) {
      return `This Paperless-ngx takes no values for custom fields (${statement}). Update it to 2.19 or newer.`;
    }
    return `Paperless-ngx refused the metadata (${statement}). Correct the destination in the profile, or the metadata of the request.`;
  }
  // How nginx, Apache and Go word it.
  if (/plain HTTP|HTTPS|SSL-enabled/i.test(summary.text)) {
    return `${endpoint.name} expects TLS (${summary.text}). Begin base_url with https://.`;
  }
  return `The request was refused before it reached the API of Paperless-ngx (${statement}). Check base_url, and that its host is in PAPERLESS_ALLOWED_HOSTS.`;
}

/** With remote-user authentication switched on, a bad token is a 403 too, worded like a 401. */
function explainForbidden(facts: RefusalFacts): string {
  const { format, text } = facts.summary;
  if (/permission/i.test(text)) {
    return `The user of the token may not add documents (${facts.statement}). Grant that user the permission to add documents.`;
  }
  if (format === 'json' && !text.startsWith('CSRF')) return refusedToken(facts);
  return `${facts.endpoint.name} is not the API of Paperless-ngx (${facts.statement}). Check base_url.`;
}

function refusedToken({ destination, statement }: RefusalFacts): string {
  return `The API token was refused (${statement}). Check the secret ${destination.token_secret}.`;
}

function waitingTime(retryAfter: string | undefined): string {
  return /^\d{1,6}$/.test(retryAfter ?? '')
    ? `Try again after ${retryAfter} s.`
    : 'Try again later.';
}

function megabytes(bytes: number): string {
  return (bytes / 1_000_000).toFixed(1);
}
