import type { UploadFacts } from './judge-response.ts';
import type { ResponseSummary } from './summarize-response.ts';
import type { TrackedResponse } from '../../http-client/tracked-request.ts';

/** What the explanation of a refusal is made of. */
export interface RefusalFacts extends UploadFacts {
  readonly summary: ResponseSummary;
  /** Status and message, such as `401 Invalid token`. */
  readonly statement: string;
}

/** Why an upload was refused with a 4xx, and what to do about it. */
export function explainRefusal({ status, headers }: TrackedResponse, facts: RefusalFacts): string {
  const { endpoint, destination, statement } = facts;
  const token = `The API token was refused (${statement}). Check the secret ${destination.token_secret}.`;
  const proxy = `A reverse proxy before ${endpoint.name} asks for a log-in of its own (${statement}). Let it pass requests to /api/ on without one.`;
  const noApi = `There is no API of Paperless-ngx at ${endpoint.name} (${statement}). Check base_url.`;
  const megabytes = (facts.bytes / 1_000_000).toFixed(1);
  const retryAfter = headers['retry-after'];
  const wait = /^\d{1,6}$/.test(retryAfter ?? '') ? `after ${retryAfter} s` : 'later';
  const explanations: Readonly<Record<number, string>> = {
    400: explainBadRequest(facts),
    401: isOfProxy(headers, facts) ? proxy : token,
    403: explainForbidden(facts) ?? token,
    404: noApi,
    405: noApi,
    406: `Paperless-ngx has no API version that this service knows, or a reverse proxy changes the Accept header (${statement}). Check both.`,
    413: `The document has ${megabytes} MB, which is too large for the reverse proxy (${statement}). Raise its body limit.`,
    429: `Paperless-ngx gets too many requests (${statement}). Try again ${wait}.`,
  };
  const other = `${endpoint.name} refused the upload (${statement}). Check base_url and the reverse proxy.`;
  return explanations[status] ?? other;
}

/** Paperless-ngx asks for a password too, but in JSON. */
function isOfProxy(headers: TrackedResponse['headers'], { summary }: RefusalFacts): boolean {
  return /^basic/i.test(headers['www-authenticate'] ?? '') && summary.format !== 'json';
}

function explainBadRequest({ endpoint, summary, statement }: RefusalFacts): string {
  if (summary.format === 'json') {
    // Before 2.19 the field takes ids of custom fields, but not their values.
    if (/\bcustom_fields: [^;]*expected pk value/i.test(summary.text)) {
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

/** Undefined for a bad token: with remote-user authentication switched on, it is a 403 too, worded like a 401. */
function explainForbidden({ endpoint, summary, statement }: RefusalFacts): string | undefined {
  if (/permission/i.test(summary.text)) {
    return `The user of the token may not add documents (${statement}). Grant that user the permission to add documents.`;
  }
  if (summary.format === 'json' && !summary.text.startsWith('CSRF')) return undefined;
  return `${endpoint.name} is not the API of Paperless-ngx (${statement}). Check base_url, and that no reverse proxy refuses /api/.`;
}
