import type { ServerResponse } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

type Headers = Readonly<Record<string, string>>;

/** Headers that the real system's middleware adds to all of its responses. */
const COMMON_HEADERS: Headers = {
  'content-language': 'en-us',
  'x-frame-options': 'SAMEORIGIN',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  vary: 'Accept, Accept-Language, origin, Cookie',
};

export function jsonAnswer(status: number, value: unknown, headers: Headers = {}): Answer {
  const body = JSON.stringify(value);
  const type = { 'content-type': 'application/json' };
  return { status, headers: { ...COMMON_HEADERS, ...type, ...headers }, body };
}

export function htmlAnswer(status: number, body: string, headers: Headers = {}): Answer {
  const type = { 'content-type': 'text/html; charset=utf-8' };
  return { status, headers: { ...COMMON_HEADERS, ...type, ...headers }, body };
}

export function redirectAnswer(location: string): Answer {
  return htmlAnswer(302, '', { location });
}

export function notAllowed(method: string | undefined, allow: string): Answer {
  return jsonAnswer(405, { detail: `Method "${method}" not allowed.` }, { allow });
}

export function permissionDenied(): Answer {
  return jsonAnswer(403, { detail: 'You do not have permission to perform this action.' });
}

export function unsupportedMediaType(mediaType: string): Answer {
  return jsonAnswer(415, { detail: `Unsupported media type "${mediaType}" in request.` });
}

export function send(response: ServerResponse, answer: Answer): void {
  const length = String(Buffer.byteLength(answer.body));
  response.writeHead(answer.status, { ...answer.headers, 'content-length': length });
  response.end(answer.body);
}

/** Django's page for a form post without a CSRF token, which is the response to every POST to an unknown path. */
export function csrfPage(): Answer {
  return htmlAnswer(403, errorPage('403 Forbidden', 'CSRF verification failed. Request aborted.'));
}

/** Django's page for an exception in its own code. */
export function serverErrorPage(): Answer {
  return htmlAnswer(500, errorPage('Server Error (500)', ''));
}

function errorPage(title: string, text: string): string {
  return (
    `<!doctype html>\n<html lang="en">\n<head>\n  <title>${title}</title>\n</head>\n` +
    `<body>\n  <h1>${title}</h1><p>${text}</p>\n</body>\n</html>\n`
  );
}
