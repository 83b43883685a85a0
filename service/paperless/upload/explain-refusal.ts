import { cause } from '../causes.ts';
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

/** Paperless-ngx asks for a password too, but in JSON. */
function isOfProxy(headers: TrackedResponse['headers'], { summary }: RefusalFacts): boolean {
  return /^basic/i.test(headers['www-authenticate'] ?? '') && summary.format !== 'json';
}

function explainBadRequest({ endpoint, summary, statement: said }: RefusalFacts): string {
  if (summary.format === 'json') {
    // Before 2.19 the field takes ids of custom fields, but not their values.
    const isOld = /\bcustom_fields: [^;]*expected pk value/i.test(summary.text);
    return cause(isOld ? 'metadata/fields' : 'metadata/refused', { said });
  }
  // How nginx, Apache and Go word it.
  return /plain HTTP|HTTPS|SSL-enabled/i.test(summary.text)
    ? cause('wrong_address/expects_tls', { system: endpoint.name, said: summary.text })
    : cause('wrong_address/host', { said });
}

/** Undefined for a bad token: with remote-user authentication switched on, it is a 403 too, worded like a 401. */
function explainForbidden({
  endpoint,
  summary,
  statement: said,
}: RefusalFacts): string | undefined {
  if (/permission/i.test(summary.text)) return cause('permission', { said });
  if (summary.format === 'json' && !summary.text.startsWith('CSRF')) return undefined;
  return cause('wrong_address/not_paperless', { system: endpoint.name, said });
}
