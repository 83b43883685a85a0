import type { ServerResponse } from 'node:http';

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

type Headers = Readonly<Record<string, string>>;

export function jsonAnswer(status: number, value: unknown, headers: Headers = {}): Answer {
  const body = JSON.stringify(value);
  return { status, headers: { 'content-type': 'application/json', ...headers }, body };
}

export function htmlAnswer(status: number, body: string, headers: Headers = {}): Answer {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8', ...headers }, body };
}

export function redirectAnswer(location: string): Answer {
  return htmlAnswer(302, '', { location });
}

export function send(response: ServerResponse, answer: Answer): void {
  const length = String(Buffer.byteLength(answer.body));
  response.writeHead(answer.status, { ...answer.headers, 'content-length': length });
  response.end(answer.body);
}

/** What Django shows for a form post without a token against forgery: every unknown path ends here. */
export function csrfPage(): Answer {
  return htmlAnswer(
    403,
    '<!DOCTYPE html>\n<html lang="en">\n<head><title>403 Forbidden</title></head>\n<body><h1>Forbidden ' +
      '<span>(403)</span></h1>\n<p>CSRF verification failed. Request aborted.</p></body>\n</html>\n',
  );
}
